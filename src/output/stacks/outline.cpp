#include "src/output/stacks/outline.h"

#include <utility>

namespace dbtrace::output {
namespace {

using stacks::StackNode;
using stacks::StackTree;

constexpr double kTrunk = 0.8;  // of its caller's time

constexpr size_t kFork = 2;  // columns
constexpr const char* kBranch = "├ ";
constexpr const char* kLastBranch = "└ ";
constexpr const char* kBeside = "│ ";
constexpr const char* kBesideNone = "  ";

double part(uint64_t ns, uint64_t of) { return static_cast<double>(ns) / static_cast<double>(of); }

class Outline {
 public:
  Outline(const StackTree& tree, double shown) : tree_(tree), shown_(shown) {}

  std::vector<OutlineLine> lines() {
    if (tree_.root().all_ns > 0) add_below({}, "");
    while (!pending_.empty()) {
      auto [line, rest] = std::move(pending_.back());
      pending_.pop_back();
      lines_.push_back(line);
      if (line.more == 0) lines_.back().hidden = add_below(line, rest);
    }
    return std::move(lines_);
  }

 private:
  struct Pending {
    OutlineLine line;
    std::string rest;  // the drawing before lines below it
  };

  // Returns how many of its children are not told of by lines.
  size_t add_below(const OutlineLine& above, const std::string& rest);

  const StackTree& tree_;
  double shown_;
  std::vector<OutlineLine> lines_;
  std::vector<Pending> pending_;  // the last comes first
};

size_t Outline::add_below(const OutlineLine& above, const std::string& rest) {
  const StackNode& node = tree_.at(above.node);
  std::vector<OutlineLine> branches;
  OutlineLine others;
  for (const uint32_t child : node.children) {
    const uint64_t ns = tree_.at(child).all_ns;
    if (part(ns, tree_.root().all_ns) >= shown_) {
      OutlineLine& branch = branches.emplace_back();
      branch.node = child;
      branch.ns = ns;
    } else {
      ++others.more;
      others.ns += ns;
    }
  }
  const bool is_chain = branches.size() <= 1;
  const bool has_trunk =
      !branches.empty() && (is_chain || part(branches.front().ns, node.all_ns) >= kTrunk);
  const size_t unsaid =
      is_chain && above.node != StackTree::kRoot ? std::exchange(others.more, 0) : 0;
  if (others.more > 0) branches.push_back(others);

  const size_t first_branch = has_trunk ? 1 : 0;
  const size_t columns = above.columns;
  if (has_trunk) {
    if (branches.size() == 1) branches.front().said_ns = above.ns;
    branches.front().drawing = rest;
    branches.front().columns = columns;
    pending_.push_back({branches.front(), rest});
  }
  // Backwards: the last comes first.
  for (size_t i = branches.size(); i-- > first_branch;) {
    const bool is_last = !has_trunk && i + 1 == branches.size();
    branches[i].drawing = rest + (is_last ? kLastBranch : kBranch);
    branches[i].columns = columns + kFork;
    pending_.push_back({branches[i], rest + (is_last ? kBesideNone : kBeside)});
  }
  return unsaid;
}

}  // namespace

std::vector<OutlineLine> outline(const StackTree& tree, double shown) {
  return Outline(tree, shown).lines();
}

}  // namespace dbtrace::output
