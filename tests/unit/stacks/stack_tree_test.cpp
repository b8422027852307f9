#include "src/stacks/stack_tree.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/stacks/samples.h"

namespace dbtrace::stacks {
namespace {

using model::Cause;

uint64_t of(const CauseTimes& times, Cause cause) { return times[static_cast<size_t>(cause)]; }

// "main 10 (run 7 (read 4) write 3)"
std::string drawn(const StackTree& tree, const StackNode& node) {
  std::string text;
  for (const uint32_t child : node.children) {
    const StackNode& at = tree.at(child);
    const std::string inner = drawn(tree, at);
    text += fmt::format("{}{} {}", text.empty() ? "" : " ", tree.frame(at).name, at.all_ns);
    if (!inner.empty()) text += fmt::format(" ({})", inner);
  }
  return text;
}

std::string drawn(const StackTree& tree) { return drawn(tree, tree.root()); }

TEST(StackTree, MergesWhatStacksShare) {
  FrameTable table;
  const std::vector<model::Sample> samples = {
      sample(table, "main;run;read", 1), sample(table, "main;run;write", 2),
      sample(table, "main;run;read", 4), sample(table, "main;end", 8), sample(table, "other", 3)};
  EXPECT_EQ(drawn(StackTree(table, samples)), "main 15 (end 8 run 7 (read 5 write 2)) other 3");
}

TEST(StackTree, RecursionIsNoLoop) {
  FrameTable table;
  const std::vector<model::Sample> samples = {sample(table, "f;f;f", 1), sample(table, "f", 1)};
  EXPECT_EQ(drawn(StackTree(table, samples)), "f 2 (f 1 (f 1))");
}

TEST(StackTree, KeepsCausesApart) {
  FrameTable table;
  const std::vector<model::Sample> samples = {sample(table, "main;read", 10, Cause::FileRead),
                                              sample(table, "main;read", 5),
                                              sample(table, "main", 7, Cause::RowLock)};
  const StackTree tree(table, samples);
  EXPECT_EQ(tree.root().all_ns, 22);
  const StackNode& main = tree.at(tree.root().children.at(0));
  EXPECT_EQ(main.all_ns, 22);
  EXPECT_EQ(of(main.ns, Cause::FileRead), 10);
  EXPECT_EQ(of(main.ns, Cause::OnCpu), 5);
  EXPECT_EQ(of(main.own_ns, Cause::RowLock), 7);
  EXPECT_EQ(of(main.own_ns, Cause::OnCpu), 0);
  const StackNode& read = tree.at(main.children.at(0));
  EXPECT_EQ(of(read.own_ns, Cause::FileRead), 10);
  EXPECT_EQ(of(read.own_ns, Cause::OnCpu), 5);
  EXPECT_EQ(tree.at(read.parent).frame, main.frame);
}

TEST(StackTree, FunctionsAreOneWhereverTheyCall) {
  FrameTable table;
  model::Sample early = sample(table, "main", 1);
  early.frames.push_back(table.intern(function("run", 0x10)));
  model::Sample late = sample(table, "main", 2);
  late.frames.push_back(table.intern(function("run", 0x20)));
  StackTree tree(table);
  EXPECT_EQ(tree.add(early), tree.add(late));
  EXPECT_EQ(drawn(tree), "main 3 (run 3)");
}

TEST(StackTree, LinesAndModulesAreToldApart) {
  FrameTable table;
  model::Frame here = function("run");
  here.source = "a.cc:1";
  model::Frame there = here;
  there.source = "a.cc:2";
  model::Frame elsewhere = here;
  elsewhere.module = "ha_connect.so";
  model::Sample sample;
  sample.ns = 1;
  StackTree tree(table);
  for (const model::Frame& frame : {here, there, elsewhere}) {
    sample.frames = {table.intern(frame)};
    tree.add(sample);
  }
  EXPECT_EQ(drawn(tree), "run 1 run 1 run 1");
}

TEST(StackTree, MarksStacksThatBrokeOff) {
  FrameTable table;
  model::Sample part = sample(table, "run", 2);
  part.whole = false;
  EXPECT_EQ(drawn(StackTree(table, std::vector{part, sample(table, "run", 1)})),
            "[broken off] 2 (run 2) run 1");
}

TEST(StackTree, AStackWithoutFramesIsTheRootsOwn) {
  FrameTable table;
  StackTree tree(table);
  EXPECT_EQ(tree.add(sample(table, "", 3, Cause::Sleep)), StackTree::kRoot);
  EXPECT_EQ(of(tree.root().own_ns, Cause::Sleep), 3);
}

TEST(StackTree, SumsDoNotStartOver) {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  FrameTable table;
  const StackTree tree(table,
                       std::vector{sample(table, "run", kMost - 1), sample(table, "run", 3)});
  EXPECT_EQ(tree.root().all_ns, kMost);
  EXPECT_EQ(of(tree.root().ns, Cause::OnCpu), kMost);
}

}  // namespace
}  // namespace dbtrace::stacks
