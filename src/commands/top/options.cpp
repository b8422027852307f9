// The command line of `dbtrace top`.
#include "src/commands/tracing/options.h"

#include <CLI/CLI.hpp>

#include "src/commands/checks.h"
#include "src/commands/replay/replay.h"
#include "src/commands/top/top.h"
#include "src/commands/tracing/kind_options.h"
#include "src/commands/units.h"

namespace dbtrace::commands {
namespace {

constexpr const char* kExamples = R"(Examples:
  dbtrace top                            kinds of query, again every 2 s; ? shows the keys
  dbtrace top --sort p99 --db shop       those of one database, the slowest first
  dbtrace top --by table                 tables instead
  dbtrace top --batch > top.log          the same as text, for a log
  dbtrace top --batch --limit 1 --page io        once: I/O by table
  dbtrace top --no-budget                without where the time goes: cheaper
  dbtrace top --from today.dbt           a recording, with a clock that keys move
  dbtrace top --from today.dbt --at 22:45 --batch --limit 1      what was at that time

Exit status: 0 done, 1 failed, 2 wrong usage or no server to trace,
3 --max-overhead ended it.)";

constexpr uint64_t kShortestInterval_ns = 100'000'000;

void add_view(CLI::App& command, TopOptions& options) {
  constexpr const char* kGroup = "What to show";
  using top::Page;
  command.add_option("--interval", options.interval_ns, "Time from one look to the next [2s]")
      ->transform(quantity(parse_duration, kShortestInterval_ns, INT64_MAX))
      ->type_name("TIME")
      ->group(kGroup);
  command.add_option("--page", options.page, "kinds, running, waits or io (by table) [kinds]")
      ->transform(one_of<Page>({{"kinds", Page::Kinds},
                                {"running", Page::Running},
                                {"waits", Page::Waits},
                                {"io", Page::Io}}))
      ->type_name("PAGE")
      ->group(kGroup);
  auto* no_budget = command
                        .add_flag("--no-budget", options.no_budget,
                                  "Do not measure where the time goes and what is done with files")
                        ->group(kGroup);
  add_file_io_option(command, options.session, kGroup)->excludes(no_budget);
  add_dsn_option(command, options.session, kGroup)->excludes(no_budget);
}

void add_batch(CLI::App& command, TopOptions& options) {
  constexpr const char* kGroup = "Without a screen";
  auto* batch = command
                    .add_flag("--batch", options.batch,
                              "Print the page as text after each interval, and of the whole run\n"
                              "at the end")
                    ->group(kGroup);
  command.add_option("--rows", options.rows, "Kinds to print [20]")
      ->check(whole_number(1, 100'000))
      ->needs(batch)
      ->group(kGroup);
}

}  // namespace

CLI::App* add_top_command(CLI::App& app, TopOptions& options) {
  CLI::App* command = app.add_subcommand(
      "top", "Show kinds of query on the whole screen: rate, latency, where their time goes");
  command->footer(kExamples);
  add_explain_option(*command, options.session);
  add_server_options(*command, options.session);
  constexpr const char* kKinds = "Which kinds";
  add_kind_options(*command, options.kinds, kKinds);
  add_sort_option(*command, options.sort, kKinds);
  add_query_choice(*command, options.choice, "Which queries");
  add_view(*command, options);
  add_batch(*command, options);
  constexpr const char* kEnding = "When to end (else: q, or Ctrl-C)";
  command->add_option("--limit", options.limit, "After this many intervals")
      ->check(whole_number(1, UINT64_MAX))
      ->group(kEnding);
  add_duration_option(*command, options.session, kEnding);
  add_follow_option(*command, options.session, kEnding);
  add_mechanics_options(*command, options.session);
  auto* at = command
                 ->add_option("--at", options.at,
                              "Begin at this time: 22:45:59, '2026-11-30 22:45:59', or 5m after\n"
                              "the recording's begin [its begin]")
                 ->type_name("TIME");
  add_from_option(*command, options.from,
                  {"--by", "--fingerprint", "--max-kinds", "--sort", "--slower-than", "--user",
                   "--host", "--db", "--conn", "--command", "--match", "--errors", "--all-commands",
                   "--interval", "--page", "--batch", "--rows", "--limit", "--at"});
  at->needs(command->get_option("--from"));
  return command;
}

}  // namespace dbtrace::commands
