// Each cause, on queries that do known things: what dbtrace tells against what the
// kernel's own clocks and counters say of the same thread.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

#include "tests/runtime/budget.h"

namespace dbtrace::testing {
namespace {

constexpr int64_t kMs = 1'000'000;

using Plan = std::vector<std::string>;

// A plan, and what its query 201 must be told of: at least so many milliseconds.
struct Case {
  const char* name;
  Plan plan;
  const char* cause;
  int64_t least_ms;
};

std::vector<Case> cases() {
  return {
      {"Spin", {"201 spin 40; spin 10"}, "on_cpu_ns", 50},
      {"Sleep", {"201 sleep 30; spin 5; sleep 10"}, "sleep_ns", 39},
      {"Mutex",
       {"202 lock m; raise held; await m; sleep 25; spin 5; unlock m",
        "201 @held lock m; unlock m; spin 1"},
       "lock_ns",
       20},
      {"Condition", {"201 wait e; spin 2", "202 await e; sleep 20; raise e"}, "lock_ns", 20},
      {"ConditionThatTimesOut", {"201 wait e 20; spin 2"}, "lock_ns", 19},
      {"Receive", {"201 receive s; spin 2", "202 await s; sleep 20; send s"}, "network_ns", 20},
      {"Poll", {"201 poll s 0; poll s 20; spin 2"}, "network_ns", 19},
      {"RivalOnTheCore",
       {"202 pin 0; raise begun; spin-until stop; pin",
        "201 @begun pin 0; spin 100; raise stop; pin"},
       "runqueue_ns",
       20},
      {"Yield",
       {"202 pin 0; raise begun; spin-until stop; pin",
        "201 @begun pin 0; yield 50; spin 30; raise stop; pin"},
       "runqueue_ns",
       5},
      {"ColdReads",
       {"201 pread a.ibd 4096 250 cold; preadv b.ibd 4096 250 cold"},
       "file_read_ns",
       1},
      {"DirectReads", {"201 pread a.ibd 16384 300 direct; spin 2"}, "file_read_ns", 1},
      {"FaultsOfAMappedFile", {"201 fault a.ibd cold; spin 2"}, "file_read_ns", 1},
      {"DirectWrites", {"201 pwrite a.ibd 16384 300 direct; spin 2"}, "file_write_ns", 1},
      {"Syncs",
       {"201 pwrite a.ibd 16384 60; fsync a.ibd; pwrite a.ibd 4096 60; fdatasync a.ibd; "
        "pwrite a.ibd 4096 60; fdatasync a.ibd"},
       "fsync_ns",
       0},
      {"ServersRowLock", {"201 begin 3; wait e 20; end; wait e 10"}, "row_lock_ns", 19},
      {"ServersMetadataLock", {"201 begin 5; wait e 20; end"}, "metadata_lock_ns", 19},
      {"ServersTableLock", {"201 begin 6; wait e 20; end"}, "table_lock_ns", 19},
      {"ServersUserLock", {"201 begin 7; wait e 20; end"}, "user_lock_ns", 19},
      {"ServersGlobalLock", {"201 begin 4; wait e 20; end"}, "global_lock_ns", 19},
      {"ServersBinlog", {"201 begin 8; wait e 20; end"}, "binlog_ns", 19},
      {"ServersGroupCommit", {"201 begin 9; wait e 20; end; spin 1"}, "group_commit_ns", 19},
      {"NoWaitBetweenTheServersHooks", {"201 begin 3; spin 10; end; sleep 10"}, "on_cpu_ns", 10},
      {"EverythingInOne",
       {"201 spin 10; sleep 10; pread a.ibd 4096 200 cold; begin 3; wait e 10; end; "
        "pwrite b.ibd 16384 30; fsync b.ibd; poll s 10; wait e 10; spin 5"},
       "lock_ns",
       19},
  };
}

class BudgetCauses : public ::testing::TestWithParam<std::tuple<const char*, Case>> {};

INSTANTIATE_TEST_SUITE_P(Each, BudgetCauses,
                         ::testing::Combine(::testing::ValuesIn(kBudgetShapes),
                                            ::testing::ValuesIn(cases())),
                         [](const auto& parameter) {
                           const std::string shape = std::get<0>(parameter.param);
                           return std::string(std::get<1>(parameter.param).name) +
                                  (shape.starts_with("budget_mysql") ? "_mysql" : "_mariadb");
                         });

bool is_told(const BudgetRun& run, const Case& what) {
  return run.one(201).ns(what.cause) >= what.least_ms * kMs;
}

// By the stub's own clocks, which do not tell a wait from one for the core behind it. But for
// what lies between the clocks.
bool is_done(const BudgetRun& run, const Case& what) {
  const BudgetedQuery& query = run.one(201);
  const std::string cause = what.cause;
  if (cause == "on_cpu_ns") return true;
  const int64_t off = off_core(query.done)[cause];
  const int64_t for_the_core = cause == "runqueue_ns" ? 0 : query.ns("runqueue_ns");
  return off - for_the_core >= what.least_ms * kMs * 105 / 100;
}

// A disk may answer before its reader has given up the core: until it does not.
std::unique_ptr<BudgetRun> run_as_meant(const std::string& shape, const Case& what) {
  constexpr int kRunsMost = 8;
  std::unique_ptr<BudgetRun> run;
  for (int i = 0; i < kRunsMost; ++i) {
    run = std::make_unique<BudgetRun>(shape, what.plan);
    if (is_told(*run, what) || is_done(*run, what)) break;
  }
  return run;
}

TEST_P(BudgetCauses, AreToldAsTheKernelHasThem) {
  const auto& [shape, what] = GetParam();
  const auto run = run_as_meant(shape, what);
  for (const BudgetedQuery& query : run->all()) {
    expect_budget(query);
    EXPECT_TRUE(is_explained(query.told)) << query.told;
  }
  if (!is_told(*run, what) && !is_done(*run, what))
    GTEST_SKIP() << "the stub did not wait for as long as it is meant to";
  EXPECT_TRUE(is_told(*run, what)) << run->one(201).told;
}

TEST(Budget, ExplainsNinetyNineQueriesOfAHundred) {
  Plan plan;
  for (int connection = 201; connection <= 208; ++connection)
    for (int i = 0; i < 150; ++i) {
      const std::string who = std::to_string(connection), lock = "m" + std::to_string(i % 3);
      plan.push_back(who + " spin " + std::to_string(i % 2) + "; lock " + lock +
                     "; sleep 1; unlock " + lock + "; pread f" + who + ".ibd 4096 3 cold");
    }
  const BudgetRun run(kBudgetShapes[0], plan);
  const std::vector<BudgetedQuery> queries = run.all();
  ASSERT_EQ(queries.size(), plan.size());
  std::vector<nlohmann::json> told;
  for (const BudgetedQuery& query : queries) told.push_back(query.told);
  expect_explained(told);
}

// Short queries, for which every microsecond that is forgotten would count.
TEST(Budget, OfQueriesThatDoNothingIsOnCpu) {
  Plan plan;
  for (int i = 0; i < 500; ++i) plan.emplace_back("201 spin 0;");
  const BudgetRun run(kBudgetShapes[1], plan);
  size_t switched = 0;
  for (const BudgetedQuery& query : run.of(201)) {
    expect_sum(query.told);
    switched += query.ns("on_cpu_ns") != query.duration_ns();
  }
  EXPECT_EQ(run.of(201).size(), plan.size());
  EXPECT_LE(switched, plan.size() / 5);
}

}  // namespace
}  // namespace dbtrace::testing
