#include "src/commands/export/stacks_of_kinds.h"

#include <vector>

#include "src/commands/stacks/profiles.h"
#include "src/output/redact.h"
#include "src/output/shown.h"
#include "src/stacks/frame_table.h"

namespace dbtrace::commands {
namespace {

class StacksOfKinds final : public output::Sink {
 public:
  explicit StacksOfKinds(output::StackFormat format)
      : profiles_({.redact = &output::redact}),
        sink_(output::make_stack_sink({.format = format}, frames_)) {}

  void finish(std::string& out) override {
    for (const model::StackProfile& profile : profiles_.take()) sink_->add(profile, out);
    sink_->finish(out);
  }

 private:
  void format(const output::Shown& shown, std::string&) override {
    if (!shown.query.stacks) return;
    std::vector<model::Sample> samples;
    for (const model::NamedStack& stack : *shown.query.stacks) samples.push_back(sample_of(stack));
    profiles_.add(shown.query, samples);
  }

  model::Sample sample_of(const model::NamedStack& stack) {
    model::Sample sample{.ns = stack.ns,
                         .count = stack.count,
                         .cause = stack.cause,
                         .whole = stack.whole,
                         .frames = {}};
    for (const std::string& name : stack.frames)
      sample.frames.push_back(frames_.intern({.name = name, .module = {}, .source = {}}));
    return sample;
  }

  KindProfiles profiles_;
  stacks::FrameTable frames_;
  std::unique_ptr<output::StackSink> sink_;
};

}  // namespace

std::unique_ptr<output::Sink> make_stacks_of_kinds(output::StackFormat format) {
  return std::make_unique<StacksOfKinds>(format);
}

}  // namespace dbtrace::commands
