#include "src/commands/diff/diff.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <unordered_map>
#include <utility>

#include "src/commands/checks.h"
#include "src/commands/diff/recorded_run.h"
#include "src/commands/messages.h"
#include "src/output/writer.h"

namespace dbtrace::commands {
namespace {

constexpr const char* kExamples = R"(Examples:
  dbtrace histogram --duration 60s --save before.json
  … a new release, an index, another setting …
  dbtrace histogram --duration 60s --save after.json
  dbtrace diff before.json after.json                    what got slower or faster, is new or gone
  dbtrace diff monday.dbt tuesday.dbt                    of two recordings (dbtrace record)
  dbtrace diff --all before.json after.json              also what stayed the same
  dbtrace diff --min-change 50 before.json after.json    only what changed by half or more

A kind is named when a rank test (or, for its slowest twentieth, a test of proportions) is sure,
all kinds together, and the change is large enough to matter; docs/histogram.md explains.

Exit status: 0 done, 1 failed, 2 wrong usage.)";

std::vector<kinds::Pair> pair_up(SavedRun& before, SavedRun& after) {
  std::vector<kinds::Pair> pairs;
  std::unordered_map<std::string, size_t> places;
  const auto place = [&](SavedRun::Kind& kind) -> kinds::Pair& {
    const auto [found, is_new] = places.try_emplace(kind.id, pairs.size());
    if (is_new) pairs.push_back({kind.id, std::move(kind.text), {}, {}});
    return pairs[found->second];
  };
  for (SavedRun::Kind& kind : before.kinds) place(kind).before = std::move(kind.measured);
  for (SavedRun::Kind& kind : after.kinds) place(kind).after = std::move(kind.measured);
  return pairs;
}

Result<SavedRun> run_of(const std::string& path) {
  return looks_recorded(path) ? run_of_recording(path) : read_run(path);
}

}  // namespace

Result<Comparison> compare_runs(SavedRun before, SavedRun after, const DiffOptions& options) {
  if (before.by != after.by || before.fingerprint != after.fingerprint)
    return fail(fmt::format("the two tell kinds in different ways: by {} ({}) and by {} ({})",
                            before.by, before.fingerprint, after.by, after.fingerprint),
                "save both with the same --by and --fingerprint");
  Comparison comparison{.before = std::move(before),
                        .after = std::move(after),
                        .options = {},
                        .pairs = {},
                        .differences = {}};
  comparison.options = {.alpha = options.alpha,
                        .least_change = options.least_change_percent / 100,
                        .before_seconds = static_cast<double>(comparison.before.length_ns) / 1e9,
                        .after_seconds = static_cast<double>(comparison.after.length_ns) / 1e9};
  comparison.pairs = pair_up(comparison.before, comparison.after);
  comparison.differences = kinds::compare(comparison.pairs, comparison.options);
  return comparison;
}

CLI::App* add_diff_command(CLI::App& app, DiffOptions& options) {
  CLI::App* command =
      app.add_subcommand("diff", "Show which kinds of queries got slower between two runs");
  command->footer(kExamples);
  command
      ->add_option("BEFORE", options.before,
                   "What dbtrace histogram --save has saved, or a recording\n(dbtrace record)")
      ->required();
  command->add_option("AFTER", options.after, "The same, of another time")->required();
  command
      ->add_option("--min-change", options.least_change_percent,
                   "Percent by which a median (or p95) must change to be told of [20]")
      ->check(CLI::Range(0.0, 1e6))
      ->type_name("PERCENT");
  command
      ->add_option("--alpha", options.alpha,
                   "Chance that two runs which do not differ give any finding at all [0.01]")
      ->check(CLI::Range(1e-12, 0.5))
      ->type_name("CHANCE");
  command->add_flag("--all", options.all, "Also kinds that did not change");
  command->add_option("--format", options.format, "text or json")
      ->transform(one_of<DiffFormat>({{"text", DiffFormat::Text}, {"json", DiffFormat::Json}}))
      ->type_name("FORMAT");
  return command;
}

int run_diff(const DiffOptions& options) {
  auto before = run_of(options.before);
  if (!before) return complain(before.error(), kFailed);
  auto after = run_of(options.after);
  if (!after) return complain(after.error(), kFailed);
  auto comparison = compare_runs(std::move(*before), std::move(*after), options);
  if (!comparison) return complain(comparison.error(), kUsage);
  output::Writer writer = output::Writer::standard_output(-1);
  std::string out;
  if (options.format == DiffFormat::Json)
    append_diff_json(*comparison, options, out);
  else
    append_diff_text(*comparison, options, writer.width(),
                     writer.is_terminal() && !std::getenv("NO_COLOR"), out);
  std::string_view rest = out;
  if (writer.write(rest) != output::WriteStatus::Failed) return kDone;
  return complain({writer.error(), ""}, kFailed);
}

}  // namespace dbtrace::commands
