// Stacks merged by the calls that they share, from the outermost on.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

#include "src/model/stack.h"
#include "src/stacks/frame_table.h"

namespace dbtrace::stacks {

// Stays at the largest number instead of starting over.
[[nodiscard]] constexpr uint64_t bounded_sum(uint64_t a, uint64_t b) {
  return a + std::min(b, std::numeric_limits<uint64_t>::max() - a);
}

// Nanoseconds by cause; all sums are bounded ones.
using CauseTimes = std::array<uint64_t, model::kCauses>;

struct StackNode {
  model::FrameId frame = 0;  // without an offset; of the root: none
  uint32_t parent = 0;
  CauseTimes own_ns{};  // of the stacks that end here
  CauseTimes ns{};      // of all stacks that pass here
  uint64_t all_ns = 0;  // of all causes
  std::vector<uint32_t> children;
};

// Calls of the same function from the same place are one node, wherever in the function they
// are made: offsets are not told apart, source lines are (where there are some).
// Not for use by several threads at once. `frames` must outlive it.
class StackTree {
 public:
  static constexpr uint32_t kRoot = 0;

  explicit StackTree(FrameTable& frames) : frames_(frames), nodes_(1) {}
  StackTree(FrameTable& frames, std::span<const model::Sample> samples);

  // Returns the node where the stack ends.
  uint32_t add(const model::Sample& sample);
  // Puts the heaviest children first.
  void sort();

  // Parents before their children.
  [[nodiscard]] const std::vector<StackNode>& nodes() const { return nodes_; }
  [[nodiscard]] const StackNode& at(uint32_t node) const { return nodes_[node]; }
  [[nodiscard]] const StackNode& root() const { return nodes_[kRoot]; }
  // Of a node that is not the root.
  [[nodiscard]] const model::Frame& frame(const StackNode& node) const {
    return frames_.at(node.frame);
  }

 private:
  model::FrameId function_of(model::FrameId frame);
  uint32_t child(uint32_t parent, model::FrameId frame);

  FrameTable& frames_;
  std::vector<StackNode> nodes_;
  std::unordered_map<uint64_t, uint32_t> children_;  // by parent and frame
  std::unordered_map<model::FrameId, model::FrameId> functions_;
};

}  // namespace dbtrace::stacks
