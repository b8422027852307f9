#include "src/attach/function_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace dbtrace::attach {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

symbols::Finder open(const std::string& path) {
  auto file = symbols::ElfFile::open(path);
  if (!file) throw std::runtime_error(file.error().message);
  auto finder = symbols::Finder::open(std::move(*file));
  if (!finder) throw std::runtime_error(finder.error().message);
  return std::move(*finder);
}

// The functions of the throwing stub.
Result<FunctionPlan> plan(std::vector<std::string> patterns,
                          const FunctionPlanOptions& options = {}) {
  auto finder = open(STUB_SERVERS "/throwing/throwing");
  std::vector<symbols::Location> locations;
  for (const std::string& pattern : patterns)
    for (symbols::Location& location : finder.match(*symbols::Pattern::parse(pattern)).locations)
      locations.push_back(std::move(location));
  return plan_functions(finder, std::move(locations), options);
}

std::vector<std::string> names(const FunctionPlan& plan) {
  std::vector<std::string> names;
  for (const PlannedFunction& function : plan.functions) names.push_back(function.name);
  std::ranges::sort(names);
  return names;
}

TEST(FunctionPlan, HasEachFunctionOnce) {
  const auto found = plan({"throws", "thro*s", "catches"});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(names(*found), ElementsAre("catches", "throws"));
  for (const PlannedFunction& function : found->functions) {
    EXPECT_THAT(function.exits, IsEmpty());  // nobody asked
    EXPECT_NE(function.entry.instruction, "");
  }
  EXPECT_THAT(found->not_probed, IsEmpty());
}

TEST(FunctionPlan, SaysWhatIsNotProbedAndTakesTheRest) {
  const auto found = plan({"throws", "has_no_size"}, {.durations = true});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(names(*found), ElementsAre("throws"));
  EXPECT_THAT(found->functions[0].exits, ::testing::Not(IsEmpty()));
  ASSERT_THAT(found->not_probed, SizeIs(1));
  EXPECT_EQ(lines(found->not_probed, "not probed: "),
            "not probed: has_no_size: its symbol has no size, so where it ends is not known");
  // To be counted it needs none.
  EXPECT_THAT(plan({"has_no_size"})->functions, SizeIs(1));
}

TEST(FunctionPlan, HasExitsWithTheirFunctions) {
  const auto found = plan({"recursive", "throws"}, {.durations = true});
  ASSERT_TRUE(found) << found.error().message;
  for (uint32_t i = 0; i < found->functions.size(); ++i) {
    const PlannedFunction& function = found->functions[i];
    for (const FunctionExit& exit : function.exits) {
      EXPECT_EQ(exit.kernel.function, i);
      EXPECT_EQ(exit.kernel.begin, function.address);
      EXPECT_LT(exit.kernel.address - function.address, exit.kernel.size);
      // Nothing but where the file is loaded lies between the two.
      EXPECT_EQ(exit.offset - function.entry.offset,
                exit.kernel.address - (function.address + function.entry.delta));
    }
  }
}

TEST(FunctionPlan, IsNoneWhenNothingCanBeProbed) {
  const auto nothing = plan({"jumps_away"}, {.durations = true});
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().message, "nothing that matches can be probed");
  EXPECT_THAT(nothing.error().hint, HasSubstr("jumps_away: it never returns"));
}

TEST(FunctionPlan, HasALimit) {
  const auto found = plan({"throws", "catches", "recursive"}, {.most = 2});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message, "3 functions match, and at most 2 are probed at once");
  EXPECT_THAT(found.error().hint, HasSubstr("--max-functions"));
  EXPECT_TRUE(plan({"throws", "catches", "recursive"}, {.most = 3}));
}

TEST(Remarks, GroupFunctions) {
  std::vector<Remark> remarks;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) add(remarks, "why", name);
  add(remarks, "another", "a");
  EXPECT_EQ(lines(remarks, "- "), "- 7 functions: why: a, b, c, d, e, …\n- a: another");
  EXPECT_EQ(lines({}), "");
}

}  // namespace
}  // namespace dbtrace::attach
