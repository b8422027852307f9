// A tree of stacks as lines that are drawn below each other.
//
// Stacks of servers are deep and seldom fork, so that only forks indent: a function that is all
// that its caller calls stands right under it. Where most of a caller's time goes one way, that
// way is the trunk: it goes on in the caller's column, below its branches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/stacks/stack_tree.h"

namespace dbtrace::output {

struct OutlineLine {
  uint32_t node = 0;
  uint64_t ns = 0;
  uint64_t said_ns = 0;  // the weight on the line above, where this is a part of it; else 0
  std::string drawing;   // the lines of forks, before the function
  size_t columns = 0;    // that they take
  size_t hidden = 0;     // so many of the functions that it calls have no line
  size_t more = 0;       // not 0: not a node, but so many that have no line; `ns` is theirs
};

// What is lighter than `shown`, a part of the whole, has no line. At most 1 / `shown` branches,
// each as long as its stack.
[[nodiscard]] std::vector<OutlineLine> outline(const stacks::StackTree& tree, double shown);

}  // namespace dbtrace::output
