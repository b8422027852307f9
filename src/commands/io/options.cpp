// The command line of `dbtrace io`.
#include "src/commands/tracing/options.h"

#include <CLI/CLI.hpp>

#include "src/commands/checks.h"
#include "src/commands/io/io.h"
#include "src/commands/replay/replay.h"
#include "src/commands/units.h"

namespace dbtrace::commands {
namespace {

constexpr const char* kExamples = R"(Examples:
  dbtrace io                                  latency of reads, writes and fsyncs, by table
  dbtrace io --by query --duration 30s        which queries wait for files, over half a minute
  dbtrace io --by thread                      page cleaner, log writer, purge, sessions
  dbtrace io --op read --table 'shop.*'       only reads, only these tables
  dbtrace io --slower-than 10ms               each slow operation as it happens, with its query
  dbtrace io --slower-than 0ms --op fsync     every fsync
  dbtrace io --format json --interval 10s     one JSON object each ten seconds
  dbtrace io --from r.dbt --by file           of a recording (dbtrace record --operations)
  dbtrace io --explain                        what would be probed, and why; attaches nothing

Exit status: 0 done, 1 failed, 2 wrong usage or no server to trace,
3 --max-overhead ended it.)";

// dbtrace wakes ten times a second.
constexpr uint64_t kShortestInterval_ns = 100'000'000;

template <typename Value>
std::vector<std::pair<std::string, Value>> by_name(std::initializer_list<Value> values) {
  std::vector<std::pair<std::string, Value>> names;
  for (const Value value : values) names.emplace_back(name_of(value), value);
  return names;
}

void add_filters(CLI::App& command, IoOptions& options) {
  constexpr const char* kGroup = "Which operations";
  using model::FileOperation;
  command.add_option("--op", options.filter.operations, "Only read, write or fsync (repeatable)")
      ->transform(
          one_of(by_name({FileOperation::Read, FileOperation::Write, FileOperation::Fsync})))
      ->type_name("WHAT")
      ->group(kGroup);
  command
      .add_option("--table", options.filter.tables,
                  "Only on tables like this, e.g. 'shop.*', 'orders', or 'redo'\n(repeatable)")
      ->type_name("GLOB")
      ->group(kGroup);
  command
      .add_option("--file", options.filter.files,
                  "Only on files of such a name, without the folder (repeatable)")
      ->type_name("GLOB")
      ->group(kGroup);
}

void add_output(CLI::App& command, IoOptions& options) {
  constexpr const char* kGroup = "Output";
  auto* list =
      command
          .add_option("--slower-than", options.slower_than_ns,
                      "List each operation that takes at least this long, e.g. 10ms, with its\n"
                      "query, and nothing else")
          ->transform(quantity(parse_duration, 0, UINT64_MAX))
          ->type_name("TIME")
          ->group(kGroup);
  command
      .add_option("--by", options.by, "Sum up by table, file, operation, query or thread [table]")
      ->transform(
          one_of(by_name({IoBy::Table, IoBy::File, IoBy::Operation, IoBy::Query, IoBy::Thread})))
      ->type_name("WHAT")
      ->excludes(list)
      ->group(kGroup);
  command
      .add_option("--interval", options.interval_ns, "Time from one view to the next, e.g. 2s [5s]")
      ->transform(quantity(parse_duration, kShortestInterval_ns, INT64_MAX))
      ->type_name("TIME")
      ->excludes(list)
      ->group(kGroup);
  command.add_option("--format", options.format, "text or json (one object a line)")
      ->transform(one_of<IoFormat>({{"text", IoFormat::Text}, {"json", IoFormat::Json}}))
      ->type_name("FORMAT")
      ->group(kGroup);
}

}  // namespace

CLI::App* add_io_command(CLI::App& app, IoOptions& options) {
  constexpr const char* kEnding = "When to end (else: Ctrl-C)";
  CLI::App* command =
      app.add_subcommand("io", "Show how long the server's file operations take, and for whom");
  command->footer(kExamples);
  add_explain_option(*command, options.session);
  add_server_options(*command, options.session);
  add_filters(*command, options);
  add_dsn_option(*command, options.session, "Which operations");
  add_output(*command, options);
  add_duration_option(*command, options.session, kEnding);
  add_follow_option(*command, options.session, kEnding);
  add_file_io_option(*command, options.session, "Mechanics");
  add_mechanics_options(*command, options.session);
  add_from_option(*command, options.from,
                  {"--op", "--table", "--file", "--slower-than", "--by", "--interval", "--format"});
  return command;
}

}  // namespace dbtrace::commands
