#include "src/stacks/stack_tree.h"

#include <algorithm>

#include "src/stacks/beginning.h"

namespace dbtrace::stacks {
StackTree::StackTree(FrameTable& frames, std::span<const model::Sample> samples)
    : StackTree(frames) {
  for (const model::Sample& sample : samples) add(sample);
  sort();
}

model::FrameId StackTree::function_of(model::FrameId frame) {
  const auto [found, is_new] = functions_.try_emplace(frame, frame);
  if (is_new && frames_.at(frame).offset != 0) {
    model::Frame function = frames_.at(frame);
    function.offset = 0;
    found->second = frames_.intern(function);
  }
  return found->second;
}

uint32_t StackTree::child(uint32_t parent, model::FrameId frame) {
  const auto next = static_cast<uint32_t>(nodes_.size());
  const auto [found, is_new] = children_.try_emplace(uint64_t{parent} << 32 | frame, next);
  if (is_new) {
    nodes_[parent].children.push_back(next);
    StackNode& node = nodes_.emplace_back();
    node.frame = frame;
    node.parent = parent;
  }
  return found->second;
}

uint32_t StackTree::add(const model::Sample& sample) {
  const auto cause = static_cast<size_t>(sample.cause);
  uint32_t at = kRoot;
  const auto pass = [&] {
    nodes_[at].ns[cause] = bounded_sum(nodes_[at].ns[cause], sample.ns);
    nodes_[at].all_ns = bounded_sum(nodes_[at].all_ns, sample.ns);
  };
  pass();
  for (const model::FrameId frame : marked_frames(sample, frames_)) {
    at = child(at, function_of(frame));
    pass();
  }
  nodes_[at].own_ns[cause] = bounded_sum(nodes_[at].own_ns[cause], sample.ns);
  return at;
}

void StackTree::sort() {
  const auto weight = [this](uint32_t node) { return nodes_[node].all_ns; };
  for (StackNode& node : nodes_) std::ranges::stable_sort(node.children, std::greater{}, weight);
}

}  // namespace dbtrace::stacks
