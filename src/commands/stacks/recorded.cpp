#include "src/commands/stacks/recorded.h"

#include <cstdio>
#include <filesystem>
#include <system_error>
#include <vector>

#include "src/commands/messages.h"
#include "src/commands/replay/replay.h"
#include "src/commands/stacks/stack_view.h"
#include "src/commands/tracing/options.h"
#include "src/stacks/frame_table.h"
#include "src/stacks/sampled.h"

namespace dbtrace::commands {
namespace {

// Of an early version there are the heaviest only.
std::vector<model::Sample> samples_of(const model::Query& query, stacks::FrameTable& frames) {
  if (query.samples) return stacks::in_table(*query.samples, frames);
  if (query.stacks) return stacks::in_table(*query.stacks, frames);
  return {};
}

Result<Replay> open(const StacksOptions& options) {
  auto replay = Replay::open(options.from);
  std::error_code ignored;
  if (!replay && !std::filesystem::exists(options.from, ignored) &&
      options.from.find('/') == std::string::npos)
    return fail(replay.error().message,
                "--begin-at " + options.from + " is for stacks that begin at a function");
  return replay;
}

Result<void> check(Replay& replay) {
  const auto has_stacks = replay.reader().has_stacks();
  if (!has_stacks) return tl::unexpected(has_stacks.error());
  if (*has_stacks) return {};
  return fail("the recording has no stacks", "dbtrace record --stacks keeps those of each query");
}

}  // namespace

int show_recorded_stacks(const StacksOptions& options) {
  const auto filter = make_filter(options.choice, true);
  if (!filter) return complain(filter.error(), kUsage);
  auto replay = open(options);
  if (!replay) return complain(replay.error(), kFailed);
  if (auto has_them = check(*replay); !has_them) return complain(has_them.error(), kUsage);
  auto writer = open_output(options.output_file, options.from);
  if (!writer) return complain(writer.error(), kFailed);
  const bool has_all = replay->reader().want_samples();
  replay->choose(options.choice, false);
  stacks::FrameTable frames;
  StackView view(options, *filter, replay->has_several_servers(), frames, *writer);
  Result<void> ran = replay->each([&](const model::Query& query) {
    if (view.wants(query)) view.show(query, samples_of(query, frames));
    return !view.ended();
  });
  view.finish();
  if (ran && view.status() == output::WriteStatus::Failed) ran = fail(writer->error());
  const int exit_code = replay->conclude(view.tally(), ran);
  std::fputs(view.left_out().c_str(), stderr);
  if (!has_all)
    std::fputs("  an earlier dbtrace made it: of each query it has the three heaviest only\n",
               stderr);
  return exit_code;
}

}  // namespace dbtrace::commands
