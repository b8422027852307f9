// The command line of `dbtrace stacks`.
#include "src/commands/tracing/options.h"

#include <CLI/CLI.hpp>

#include "src/commands/checks.h"
#include "src/commands/replay/replay.h"
#include "src/commands/stacks/stacks.h"
#include "src/commands/tracing/kind_options.h"
#include "src/commands/tracing/stack_options.h"

namespace dbtrace::commands {
namespace {

constexpr const char* kExamples = R"(Examples:
  dbtrace stacks                                   queries of 100 ms and more, as they end
  dbtrace stacks --slower-than 1s --limit 3        the next three that take a second
  dbtrace stacks --match 'from orders' --begin-at dispatch_command
                                                   without the frames outside of it
  dbtrace stacks --by fingerprint --duration 1m    each kind of slow query, merged
  dbtrace stacks --running                         what runs at this moment
  dbtrace stacks --format html -o slow.html        a flame graph to look around in
  dbtrace stacks --format folded -o slow.folded    for other flame-graph tools
  dbtrace stacks --from r.dbt                      of a recording (record --stacks)

Exit status: 0 done, 1 failed, 2 wrong usage or no server to trace,
3 --max-overhead ended it.)";

constexpr uint64_t kSlow_ns = 100'000'000;

}  // namespace

CLI::App* add_stacks_command(CLI::App& app, StacksOptions& options) {
  CLI::App* command =
      app.add_subcommand("stacks", "Show what the server's code was doing in slow queries");
  command->footer(kExamples);
  options.choice.filter.slower_than_ns = kSlow_ns;
  options.session.tracer.stacks.emplace();
  auto* explain = add_explain_option(*command, options.session);
  add_server_options(*command, options.session);
  add_query_choice(*command, options.choice, "Which queries");
  command
      ->add_flag("--running", options.running,
                 "Of those that run after a look of one second (or --duration), what they have\n"
                 "done in it")
      ->group("Which queries");

  constexpr const char* kStacks = "Stacks";
  auto& stacks = *options.session.tracer.stacks;
  add_stack_options(*command, stacks, kStacks);
  command
      ->add_option("--begin-at", options.begin_at,
                   "Where stacks begin, e.g. dispatch_command, instead of at their thread's start")
      ->type_name("FUNCTION")
      ->group(kStacks);
  command
      ->add_option_function<kinds::By>(
          "--by",
          [&options](const kinds::By& by) {
            options.by.emplace();
            options.by->by = by;
          },
          "Merge the stacks of queries of the same fingerprint, db, user, command, table\n"
          "or conn, and show them when the run ends")
      ->transform(kinds_by())
      ->type_name("WHAT")
      ->group(kStacks);
  command
      ->add_flag("--lines", options.lines,
                 "Also lines of source and inlined functions, where debug information is there")
      ->group(kStacks);
  add_file_io_option(*command, options.session, kStacks);
  add_dsn_option(*command, options.session, kStacks);

  constexpr const char* kEnding = "When to end (else: Ctrl-C)";
  command->add_option("--limit", options.limit, "After this many queries")
      ->check(whole_number(1, UINT64_MAX))
      ->group(kEnding);
  add_duration_option(*command, options.session, kEnding);
  add_follow_option(*command, options.session, kEnding);

  constexpr const char* kOutput = "Output";
  using output::StackFormat;
  command->add_option("--format", options.format, "text, folded, json, speedscope, svg or html")
      ->transform(one_of<StackFormat>({{"text", StackFormat::Text},
                                       {"folded", StackFormat::Folded},
                                       {"json", StackFormat::Json},
                                       {"speedscope", StackFormat::Speedscope},
                                       {"svg", StackFormat::Svg},
                                       {"html", StackFormat::Html}}))
      ->type_name("FORMAT")
      ->group(kOutput);
  add_output_file_option(*command, options.output_file, kOutput)->excludes(explain);
  add_text_options(*command, options.session, kOutput);
  add_mechanics_options(*command, options.session);
  add_from_option(
      *command, options.from,
      {"--slower-than", "--user", "--host", "--db", "--conn", "--command", "--match", "--errors",
       "--all-commands", "--begin-at", "--by", "--limit", "--format", "--output"});
  return command;
}

}  // namespace dbtrace::commands
