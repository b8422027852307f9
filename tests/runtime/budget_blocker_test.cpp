// Who ended a query's longest wait for a lock, and what that one was at work on.
#include <gtest/gtest.h>

#include "tests/runtime/budget.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;

class BudgetBlocker : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Each, BudgetBlocker, ::testing::ValuesIn(kBudgetShapes),
                         [](const auto& shape) {
                           return std::string(shape.param).starts_with("budget_mysql") ? "mysql"
                                                                                       : "mariadb";
                         });

// What is told of a wait for another query.
void expect_blocker(const BudgetedQuery& waiter, const BudgetedQuery& holder) {
  const json& blocker = waiter.blocker();
  ASSERT_TRUE(blocker.is_object()) << waiter.told;
  EXPECT_EQ(blocker["conn"], holder.done["conn"]);
  EXPECT_EQ(blocker["query"], holder.done["text"]);
  EXPECT_EQ(blocker["tid"], holder.told["tid"]);
  EXPECT_EQ(blocker["pid"], holder.told["pid"]);
  EXPECT_EQ(blocker["thread"], "session");
  EXPECT_EQ(blocker["truncated"], false);
}

TEST_P(BudgetBlocker, OfAMutexIsWhoUnlocksIt) {
  const BudgetRun run(GetParam(), {"202 lock m; raise held; await m; sleep 10; unlock m; spin 5",
                                   "201 @held lock m; unlock m; spin 1"});
  expect_blocker(run.one(201), run.one(202));
  const json& blocker = run.one(201).blocker();
  EXPECT_EQ(blocker["cause"], "lock");
  EXPECT_LE(blocker["waited_ns"].get<int64_t>(), run.one(201).ns("lock_ns"));
  EXPECT_GE(blocker["waited_ns"].get<int64_t>(), 10'000'000);
  EXPECT_TRUE(run.one(202).blocker().is_null()) << run.one(202).told;
}

TEST_P(BudgetBlocker, OfAWaitThatTheServerNamesIsOfThatCause) {
  const BudgetRun run(
      GetParam(), {"202 await e; sleep 10; raise e; spin 5", "201 begin 3; wait e; end; spin 1"});
  expect_blocker(run.one(201), run.one(202));
  EXPECT_EQ(run.one(201).blocker()["cause"], "row_lock");
}

TEST_P(BudgetBlocker, IsThatOfTheLongestWait) {
  const BudgetRun run(GetParam(), {"202 await short; sleep 5; raise short; spin 2",
                                   "203 await long; sleep 60; raise long; spin 2",
                                   "204 await last; sleep 5; raise last; spin 2",
                                   "201 wait short; wait long; wait last; spin 1"});
  expect_blocker(run.one(201), run.one(203));
}

TEST_P(BudgetBlocker, IsAbsentWhenTheWaitTimedOut) {
  const BudgetRun run(GetParam(), {"201 wait never 30; spin 1", "202 spin 50; sleep 1"});
  EXPECT_TRUE(run.one(201).blocker().is_null()) << run.one(201).told;
}

TEST_P(BudgetBlocker, IsAbsentWithoutAWaitForALock) {
  const BudgetRun run(GetParam(), {"201 sleep 10; receive s; poll s 5; pread a.ibd 4096 50 cold",
                                   "202 await s; send s; spin 1"});
  EXPECT_TRUE(run.one(201).blocker().is_null()) << run.one(201).told;
}

TEST_P(BudgetBlocker, MayBeABackgroundThread) {
  const BudgetRun run(GetParam(),
                      {"purge_worker await e; sleep 10; raise e", "201 wait e; spin 1"});
  const json& blocker = run.one(201).blocker();
  ASSERT_TRUE(blocker.is_object()) << run.one(201).told;
  EXPECT_EQ(blocker["thread"], "purge_worker");
  EXPECT_EQ(blocker["tid"], run.background("purge_worker")["tid"]);
  EXPECT_TRUE(blocker["conn"].is_null());
  EXPECT_TRUE(blocker["query"].is_null());
}

TEST_P(BudgetBlocker, OfSeveralWaitersIsOneQuery) {
  const BudgetRun run(GetParam(), {"202 await e 3; sleep 10; raise e; spin 2", "201 wait e; spin 1",
                                   "203 wait e; spin 1", "204 wait e; spin 1"});
  // Woken threads may wake each other on the way out of a condition variable.
  size_t by_holder = 0;
  for (const uint64_t waiter : {201, 203, 204}) {
    ASSERT_TRUE(run.one(waiter).blocker().is_object());
    by_holder += run.one(waiter).blocker()["conn"] == 202;
  }
  EXPECT_EQ(by_holder, 3u);
}

TEST_P(BudgetBlocker, TextIsCutWhereItIsLong) {
  std::string script = "202 await e; sleep 10; raise e";
  while (script.size() < 3000) script += "; spin 0";
  const BudgetRun run(GetParam(), {script, "201 wait e; spin 1"});
  const json& blocker = run.one(201).blocker();
  ASSERT_TRUE(blocker.is_object());
  const std::string text = script.substr(4);
  EXPECT_EQ(blocker["query"], text.substr(0, 1024));
  EXPECT_EQ(blocker["query_length"], text.size());
  EXPECT_EQ(blocker["truncated"], true);
}

}  // namespace
}  // namespace dbtrace::testing
