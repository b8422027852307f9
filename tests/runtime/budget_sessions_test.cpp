// Commands inside commands and commands that are put aside: whose time is whose.
#include <gtest/gtest.h>

#include "tests/runtime/budget.h"

namespace dbtrace::testing {
namespace {

constexpr int64_t kMs = 1'000'000;

TEST(BudgetNesting, InnerCommandsHaveBudgetsOfTheirOwn) {
  const BudgetRun run(kBudgetShapes[0],
                      {"201 spin 10; inside 301 spin 20, sleep 30; sleep 10; spin 5"});
  const BudgetedQuery &outer = run.one(201), &inner = run.one(301);
  for (const BudgetedQuery* query : {&outer, &inner}) {
    expect_sum(query->told);
    EXPECT_TRUE(is_explained(query->told)) << query->told;
  }
  expect_budget(inner);
  EXPECT_GE(outer.ns("on_cpu_ns"), 15 * kMs);
  EXPECT_GE(outer.ns("sleep_ns"), 9 * kMs);
}

TEST(BudgetSuspended, GoesWithTheCommandToAnotherThread) {
  const BudgetRun run(kBudgetShapes[0], {"201 spin 10; sleep 20; suspend; spin 15; sleep 10"});
  const BudgetedQuery& query = run.one(201);
  SCOPED_TRACE(query.told.dump() + query.done.dump());
  expect_sum(query.told);
  EXPECT_TRUE(is_explained(query.told));
  expect_near(query.ns("on_cpu_ns"), query.done["on_core_ns"].get<int64_t>(), 5 * kMs);
  EXPECT_GE(query.ns("sleep_ns"), 29 * kMs);
  EXPECT_GE(query.told["budget"]["voluntary_switches"], query.done["voluntary"]);
  EXPECT_LE(query.told["budget"]["voluntary_switches"].get<int64_t>(),
            query.done["voluntary"].get<int64_t>() + 2);
}

// What a thread did for the session before is not this one's.
TEST(BudgetInSequence, EachCommandBeginsAtNothing) {
  const BudgetRun run(kBudgetShapes[1],
                      {"201 sleep 20; pread a.ibd 4096 100 cold", "201 spin 10; poll s 5",
                       "201 wait e 10; pwrite b.ibd 4096 10", "201 spin 1; spin 1"});
  for (const BudgetedQuery& query : run.of(201)) {
    expect_budget(query);
    expect_io(query);
  }
}

}  // namespace
}  // namespace dbtrace::testing
