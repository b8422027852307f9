// The command line of `dbtrace queries`.
#include "src/commands/tracing/options.h"

#include <CLI/CLI.hpp>

#include "src/commands/checks.h"
#include "src/commands/queries/queries.h"
#include "src/commands/replay/replay.h"
#include "src/commands/units.h"

namespace dbtrace::commands {
namespace {

constexpr const char* kExamples = R"(Examples:
  dbtrace queries                                  every query of the server that runs here
  dbtrace queries --slower-than 10ms               only slow ones (decided in the kernel)
  dbtrace queries -p 1234 --user app --db shop     one server of several, one user, one database
  dbtrace queries --errors --duration 30s          what fails, for half a minute
  dbtrace queries --match 'from orders' --limit 5  the next five that touch a table
  dbtrace queries --slower-than 1s --stacks        what the server's code did in slow ones
  dbtrace queries --running                        what runs at this moment, again every second
  dbtrace queries --report-running 5s              also what has run for 5 s and not ended yet
  dbtrace queries --format json -o q.json          one JSON object a line
  dbtrace queries --format slowlog -o slow.log     for pt-query-digest and mysqldumpslow
  dbtrace queries --follow -o q.log                across restarts and upgrades of the server
  dbtrace queries --from r.dbt --errors            of a recording (dbtrace record), not of a server
  dbtrace queries --explain                        what would be probed, and why; attaches nothing

Exit status: 0 done, 1 failed, 2 wrong usage or no server to trace,
3 --max-overhead ended it.)";

// dbtrace wakes ten times a second.
constexpr uint64_t kSoonestLook_ns = 100'000'000;

void add_filters(CLI::App& command, QueriesOptions& options) {
  constexpr const char* kGroup = "Which queries";
  add_query_choice(command, options.choice, kGroup);
  add_statements_option(command, options.session, kGroup);
}

void add_running(CLI::App& command, RunningOptions& options) {
  constexpr const char* kGroup = "What has not ended";
  auto* show =
      command
          .add_flag("--running", options.show,
                    "Show what runs at this moment, again and again, and nothing else; with\n"
                    "--limit N, that many times")
          ->excludes("--statements")
          ->group(kGroup);
  command
      .add_option("--interval", options.interval_ns, "Time from one look to the next, e.g. 2s [1s]")
      ->transform(quantity(parse_duration, kSoonestLook_ns, INT64_MAX))
      ->type_name("TIME")
      ->needs(show)
      ->group(kGroup);
  command
      .add_option("--report-running", options.report_ns,
                  "Tell of a command once it has run for this long, before it ends, e.g. 5s")
      ->transform(quantity(parse_duration, kSoonestLook_ns, INT64_MAX))
      ->type_name("TIME")
      ->excludes(show)
      ->group(kGroup);
}

void add_ending(CLI::App& command, QueriesOptions& options) {
  constexpr const char* kGroup = "When to end (else: Ctrl-C)";
  command.add_option("--limit", options.limit, "After showing this many")
      ->check(whole_number(1, UINT64_MAX))
      ->group(kGroup);
  add_duration_option(command, options.session, kGroup);
  add_follow_option(command, options.session, kGroup);
}

void add_output(CLI::App& command, QueriesOptions& options, CLI::Option* explain) {
  constexpr const char* kGroup = "Output";
  command
      .add_option("--format", options.format,
                  "text, json (one object a line), slowlog or\n"
                  "pglog (PostgreSQL's own, for pgBadger)")
      ->transform(one_of<output::Format>({{"text", output::Format::Text},
                                          {"json", output::Format::Json},
                                          {"slowlog", output::Format::SlowLog},
                                          {"pglog", output::Format::PgLog}}))
      ->type_name("FORMAT")
      ->group(kGroup);
  add_output_file_option(command, options.output_file, kGroup)->excludes(explain);
  add_text_options(command, options.session, kGroup);
  command
      .add_flag("--rows-examined", options.session.plan.rows_examined,
                "Rows examined of MariaDB, too: one more probe a command (free on MySQL;\n"
                "implied by --format slowlog)")
      ->group(kGroup);
}

void add_budget(CLI::App& command, QueriesOptions& options) {
  constexpr const char* kGroup = "Where the time goes";
  command
      .add_flag("--budget", options.session.tracer.budget,
                "Of each query: its time on a core, in the run queue and blocked, by cause;\n"
                "its file reads and writes, by table; and who kept it waiting")
      ->excludes("--running")
      ->group(kGroup);
  command
      .add_flag_callback(
          "--stacks",
          [&options] {
            options.session.tracer.stacks.emplace();
            options.session.tracer.budget = true;
          },
          "Below each query, what the server's code was doing: its three heaviest stacks,\n"
          "and its budget. Best with --slower-than")
      ->group(kGroup);
  add_file_io_option(command, options.session, kGroup);
  add_dsn_option(command, options.session, kGroup);
}

}  // namespace

CLI::App* add_queries_command(CLI::App& app, QueriesOptions& options) {
  CLI::App* command = app.add_subcommand("queries", "Show every query as it finishes");
  command->footer(kExamples);
  auto* explain = add_explain_option(*command, options.session);
  add_server_options(*command, options.session);
  add_filters(*command, options);
  add_running(*command, options.running);
  add_budget(*command, options);
  add_ending(*command, options);
  add_output(*command, options, explain);
  add_mechanics_options(*command, options.session);
  add_from_option(
      *command, options.from,
      {"--slower-than", "--user", "--host", "--db", "--conn", "--command", "--match", "--errors",
       "--all-commands", "--statements", "--budget", "--limit", "--format", "--output"});
  return command;
}

}  // namespace dbtrace::commands
