#include "src/stacks/sampled.h"

#include <unordered_map>
#include <utility>

namespace dbtrace::stacks {

using model::FrameId;
using model::Sample;

model::SampledStacks by_themselves(std::vector<Sample> samples, const FrameTable& frames) {
  model::SampledStacks stacks;
  std::unordered_map<FrameId, FrameId> places;
  for (Sample& sample : samples)
    for (FrameId& frame : sample.frames) {
      const auto [place, is_new] =
          places.try_emplace(frame, static_cast<FrameId>(stacks.frames.size()));
      if (is_new) stacks.frames.push_back(frames.at(frame));
      frame = place->second;
    }
  stacks.samples = std::move(samples);
  return stacks;
}

std::vector<Sample> in_table(const model::SampledStacks& stacks, FrameTable& frames) {
  std::vector<FrameId> ids;
  ids.reserve(stacks.frames.size());
  for (const model::Frame& frame : stacks.frames) ids.push_back(frames.intern(frame));
  std::vector<Sample> samples = stacks.samples;
  for (Sample& sample : samples)
    for (FrameId& frame : sample.frames) frame = ids[frame];
  return samples;
}

std::vector<Sample> in_table(const std::vector<model::NamedStack>& stacks, FrameTable& frames) {
  std::vector<Sample> samples;
  for (const model::NamedStack& stack : stacks) {
    Sample& sample = samples.emplace_back();
    sample.ns = stack.ns;
    sample.count = stack.count;
    sample.cause = stack.cause;
    sample.whole = stack.whole;
    for (const std::string& name : stack.frames)
      sample.frames.push_back(frames.intern({.name = name, .module = {}, .source = {}}));
  }
  return samples;
}

}  // namespace dbtrace::stacks
