// The command line of `dbtrace record`.
#include "src/commands/tracing/options.h"

#include <CLI/CLI.hpp>

#include "src/commands/checks.h"
#include "src/commands/record/record.h"
#include "src/commands/units.h"
#include "src/recording/past.h"

namespace dbtrace::commands {
namespace {

constexpr const char* kExamples = R"(Examples:
  dbtrace record -o today.dbt --duration 10m        ten minutes of the server that runs here
  dbtrace record -o slow.dbt --slower-than 10ms     only slow queries
  dbtrace record -o r.dbt --rotate 100M --keep 10   for as long as it runs, the latest 1 GB
  dbtrace record --keep-last 5m --on 'p99 > 200ms' -o /var/lib/dbtrace
                                                    the last minutes of each such moment
  dbtrace queries --from today.dbt --errors         the query log, later
  dbtrace histogram --from today.dbt                what each kind of query came to
  dbtrace waits --from today.dbt                    where all query time went
  dbtrace record -o r.dbt --operations              also each operation on a file, for
  dbtrace io --from r.dbt --by query                that
  dbtrace diff monday.dbt tuesday.dbt               which kinds got slower
  sqlite3 today.dbt 'select * from queries limit 5' everything else (docs/recordings.md)

Exit status: 0 done, 1 failed, 2 wrong usage or no server to trace,
3 --max-overhead ended it.)";

void add_file(CLI::App& command, RecordOptions& options, CLI::Option* explain) {
  constexpr const char* kGroup = "The recording";
  constexpr uint64_t kMostFiles = 10'000, kMostRate = 1'000'000'000;
  command
      .add_option("-o,--output", options.file,
                  "Record to this file, replacing it (an SQLite database, readable by its\n"
                  "owner only)")
      ->type_name("FILE")
      ->check([](const std::string& file) { return file.empty() ? "needs a file name" : ""; })
      ->excludes(explain)
      ->group(kGroup);
  command
      .add_flag("--literals", options.literals,
                "Texts as they are (passwords excepted); else only their fingerprints,\n"
                "which have no values, are in the file")
      ->group(kGroup);
  const auto size = [&](const char* name, uint64_t& bytes, const char* text) {
    return command.add_option(name, bytes, text)
        ->transform(quantity(parse_size, recording::Writer::kLeastBytes, INT64_MAX))
        ->type_name("SIZE")
        ->group(kGroup);
  };
  auto* rotate = size("--rotate", options.rotate_bytes,
                      "Go on in a new file when it is as large as this; the older ones are\n"
                      "FILE.1, FILE.2, …");
  command.add_option("--keep", options.keep, "With --rotate: no more files than this [10]")
      ->check(whole_number(1, kMostFiles))
      ->type_name("N")
      ->needs(rotate)
      ->group(kGroup);
  command
      .add_option("--max-rate", options.max_rate,
                  "Queries a second to keep whole; of more than that slow ones, a fair part\n"
                  "of the others, and exact sums by kind; 0: all [20000]")
      ->check(whole_number(0, kMostRate))
      ->type_name("N")
      ->group(kGroup);
}

void add_flight(CLI::App& command, RecordOptions& options) {
  constexpr const char* kGroup = "Only when something happens";
  constexpr uint64_t kSecond_ns = 1'000'000'000, kDay_ns = 86'400 * kSecond_ns;
  constexpr uint64_t kMostFiles = 3600;
  FlightOptions& flight = options.flight;
  const auto time = [&](const char* name, uint64_t& ns, uint64_t least, const char* text) {
    return command.add_option(name, ns, text)
        ->transform(quantity(parse_duration, least, kDay_ns))
        ->type_name("TIME")
        ->group(kGroup);
  };
  auto* keep_last = time("--keep-last", flight.keep_last_ns, kSecond_ns,
                         "Hold so much of the past in memory, and record it to a file in the\n"
                         "folder that -o names each time that a condition becomes true");
  auto* on = command
                 .add_option_function<std::vector<std::string>>(
                     "--on",
                     [&flight](const std::vector<std::string>& texts) {
                       for (const std::string& text : texts) {
                         auto condition = Condition::parse(text);
                         if (!condition)
                           throw CLI::ValidationError(
                               "--on", condition.error().message + "\n  " + condition.error().hint);
                         flight.on.push_back(std::move(*condition));
                       }
                     },
                     "The condition: p50, p90, p95, p99, p999, max or mean of the queries of\n"
                     "the last ten seconds, or the time that one has been running, as in\n"
                     "'p99 > 200ms' and 'running > 10s'; or how many come a second: 'errors >\n"
                     "5/s', 'queries < 1/s'. Several: each of them")
                 ->type_name("CONDITION")
                 ->needs(keep_last)
                 ->group(kGroup);
  keep_last->needs(on)->excludes("--rotate")->excludes("--max-size")->excludes("--max-rate");
  time("--keep-after", flight.keep_after_ns, 0, "And so much of what comes then [10s]")
      ->needs(keep_last);
  command
      .add_option("--most-an-hour", flight.most_an_hour, "No more files in an hour than this [6]")
      ->check(whole_number(1, kMostFiles))
      ->type_name("N")
      ->needs(keep_last)
      ->group(kGroup);
  command
      .add_option("--max-memory", flight.max_memory,
                  "Hold less when it would take more memory than this, about [256M]")
      ->transform(quantity(parse_size, recording::Past::kPieces * recording::Writer::kLeastBytes,
                           INT64_MAX))
      ->type_name("SIZE")
      ->needs(keep_last)
      ->group(kGroup);
}

void add_details(CLI::App& command, RecordOptions& options) {
  constexpr const char* kGroup = "What of each query";
  auto* no_budget =
      command
          .add_flag("--no-budget", options.no_budget,
                    "Not where its time went, its reads and writes and who kept it waiting:\n"
                    "costs less")
          ->group(kGroup);
  add_statements_option(command, options.session, kGroup);
  command
      .add_flag("--operations", options.operations,
                "Each single operation on a file, of background threads, too, for dbtrace io;\n"
                "as many in a second as --max-rate says. Costs an event each")
      ->group(kGroup);
  command
      .add_flag_callback(
          "--stacks", [&options] { options.session.tracer.stacks.emplace(); },
          "What the server's code was doing, for dbtrace stacks --from. Best with\n"
          "--slower-than")
      ->excludes(no_budget)
      ->group(kGroup);
  add_rows_examined_option(command, options.session, kGroup);
  add_text_options(command, options.session, kGroup);
  add_file_io_option(command, options.session, kGroup);
  add_dsn_option(command, options.session, kGroup);
}

void add_ending(CLI::App& command, RecordOptions& options) {
  constexpr const char* kGroup = "When to end (else: Ctrl-C)";
  add_duration_option(command, options.session, kGroup);
  command.add_option("--max-size", options.max_bytes, "Before the file gets larger than this")
      ->transform(quantity(parse_size, recording::Writer::kLeastBytes, INT64_MAX))
      ->type_name("SIZE")
      ->excludes("--rotate")
      ->group(kGroup);
  add_follow_option(command, options.session, kGroup);
}

}  // namespace

CLI::App* add_record_command(CLI::App& app, RecordOptions& options) {
  CLI::App* command =
      app.add_subcommand("record", "Record queries to a file, to be looked at later");
  command->footer(kExamples);
  auto* explain = add_explain_option(*command, options.session);
  add_server_options(*command, options.session);
  add_file(*command, options, explain);
  add_query_choice(*command, options.choice, "Which queries");
  add_details(*command, options);
  add_ending(*command, options);
  add_flight(*command, options);
  add_mechanics_options(*command, options.session);
  return command;
}

}  // namespace dbtrace::commands
