// The command line of `dbtrace histogram`.
#include "src/commands/tracing/options.h"

#include <CLI/CLI.hpp>

#include "src/commands/checks.h"
#include "src/commands/histogram/histogram.h"
#include "src/commands/replay/replay.h"
#include "src/commands/tracing/kind_options.h"
#include "src/commands/units.h"

namespace dbtrace::commands {
namespace {

constexpr const char* kExamples = R"(Examples:
  dbtrace histogram                          kinds of queries of the whole run, when it ends (Ctrl-C)
  dbtrace histogram --duration 30s           half a minute
  dbtrace histogram --interval 10s           every ten seconds, too
  dbtrace histogram --by table --sort p99    told by table, the one with the longest p99 first
  dbtrace histogram --budget                 also where the time goes: CPU, I/O, locks
  dbtrace histogram --db shop --top 5        the heaviest five of one database
  dbtrace histogram --duration 60s --save before.json    for dbtrace diff before.json after.json
  dbtrace histogram --format prometheus --interval 15s -o dbtrace.prom

Exit status: 0 done, 1 failed, 2 wrong usage or no server to trace,
3 --max-overhead ended it.)";

constexpr uint64_t kShortestInterval_ns = 100'000'000;
constexpr uint64_t kMostKinds = 1'000'000;

void add_kinds(CLI::App& command, HistogramOptions& options) {
  constexpr const char* kGroup = "Which kinds";
  add_kind_options(command, options.kinds, kGroup);
  add_sort_option(command, options.sort, kGroup);
  command
      .add_option("--top,--limit", options.top,
                  "Tell of this many, the first by --sort; 0: all [text: 20, else: all]")
      ->check(whole_number(0, kMostKinds))
      ->group(kGroup);
}

void add_output(CLI::App& command, HistogramOptions& options, CLI::Option* explain) {
  constexpr const char* kGroup = "Output";
  command.add_option("--interval", options.interval_ns, "Also tell of each interval, e.g. 10s")
      ->transform(quantity(parse_duration, kShortestInterval_ns, INT64_MAX))
      ->type_name("TIME")
      ->group(kGroup);
  command
      .add_option("--format", options.format,
                  "text, json (one object an interval), csv or prometheus (totals)")
      ->transform(one_of<HistogramFormat>({{"text", HistogramFormat::Text},
                                           {"json", HistogramFormat::Json},
                                           {"csv", HistogramFormat::Csv},
                                           {"prometheus", HistogramFormat::Prometheus}}))
      ->type_name("FORMAT")
      ->group(kGroup);
  command
      .add_option("--draw", options.draw,
                  "Draw the histograms of this many kinds, for each interval, too [3 at the end]")
      ->check(whole_number(0, kMostKinds))
      ->group(kGroup);
  add_output_file_option(command, options.output_file, kGroup)->excludes(explain);
  command
      .add_option("--save", options.save_file,
                  "Save the whole run as JSON, for dbtrace diff (readable by its owner only)")
      ->type_name("FILE")
      ->check([](const std::string& path) { return path.empty() ? "needs a file name" : ""; })
      ->excludes(explain)
      ->group(kGroup);
  add_text_options(command, options.session, kGroup);
  add_rows_examined_option(command, options.session, kGroup);
}

}  // namespace

void add_budget_options(CLI::App& command, HistogramOptions& options, const std::string& group) {
  auto* budget =
      command
          .add_flag("--budget", options.session.tracer.budget,
                    "Time on a core, in the run queue and blocked, by cause; file reads\n"
                    "and writes")
          ->group(group);
  add_file_io_option(command, options.session, group)->needs(budget);
  add_dsn_option(command, options.session, group)->needs(budget);
}

void add_count_in_option(CLI::App& command, CountIn& count_in, const std::string& group) {
  command
      .add_option("--count-in", count_in,
                  "Who adds up: kernel (cheaper; not with every choice of queries), user or\n"
                  "auto [auto]")
      ->transform(one_of<CountIn>(
          {{"auto", CountIn::Auto}, {"kernel", CountIn::Kernel}, {"user", CountIn::User}}))
      ->type_name("WHERE")
      ->group(group);
}

CLI::App* add_histogram_command(CLI::App& app, HistogramOptions& options) {
  CLI::App* command = app.add_subcommand(
      "histogram", "Show how long queries take, by kind: counts, percentiles, histograms");
  command->footer(kExamples);
  auto* explain = add_explain_option(*command, options.session);
  add_server_options(*command, options.session);
  add_kinds(*command, options);
  add_query_choice(*command, options.choice, "Which queries");
  add_budget_options(*command, options, "Where the time goes");
  constexpr const char* kEnding = "When to end (else: Ctrl-C)";
  add_duration_option(*command, options.session, kEnding);
  add_follow_option(*command, options.session, kEnding);
  add_output(*command, options, explain);
  add_mechanics_options(*command, options.session);
  add_count_in_option(*command, options.count_in, "Mechanics");
  add_from_option(*command, options.from,
                  {"--by", "--fingerprint", "--max-kinds", "--sort", "--top", "--slower-than",
                   "--user", "--host", "--db", "--conn", "--command", "--match", "--errors",
                   "--all-commands", "--interval", "--format", "--draw", "--output", "--save"});
  return command;
}

}  // namespace dbtrace::commands
