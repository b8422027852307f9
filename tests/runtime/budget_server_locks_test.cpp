// Who keeps whom waiting on the real servers, and for what.
#include <gtest/gtest.h>

#include "tests/runtime/budget_server.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kStuck = 50 * kMs;  // a part of what wait_until_stuck waits

// `waiter` waits for what `holder` has until `holder` does `release`.
class BudgetServerLocks : public BudgetServer {
 protected:
  // The waiter's line.
  json wait_for(Client& holder, Client& waiter, const std::string& text,
                const std::string& release) {
    BudgetTrace trace(server());
    waiter.send(text);
    wait_until_stuck(waiter);
    holder.query(release);
    static_cast<void>(waiter.receive());
    const json line = line_with(trace.finish(2), waiter, text);
    EXPECT_GE(ns_of(line, "lock_ns"), kStuck) << line;
    return line;
  }

  static void expect_blocker(const json& line, const Client& holder, const std::string& text) {
    const json& blocker = line.at("blocker");
    ASSERT_TRUE(blocker.is_object()) << line;
    EXPECT_EQ(blocker["conn"], holder.connection_id()) << line;
    EXPECT_EQ(blocker["query"], text) << line;
    EXPECT_GE(blocker["waited_ns"].get<int64_t>(), kStuck) << line;
    EXPECT_EQ(blocker["pid"], server().pid());
  }
};

DBTRACE_BUDGET_SERVERS(BudgetServerLocks);

TEST_P(BudgetServerLocks, RowIsGivenUpByWhoeverCommits) {
  Client holder = client(), waiter = client();
  holder.query("BEGIN");
  holder.query("UPDATE numbers SET square = square + 1 WHERE id = 7");
  const json line = wait_for(holder, waiter, "UPDATE numbers SET square = 49 WHERE id = 7",
                             "COMMIT /* the blocker's text */");
  EXPECT_GE(ns_of(line, "row_lock_ns"), kStuck) << line;
  expect_blocker(line, holder, "COMMIT /* the blocker's text */");
  EXPECT_EQ(line["blocker"]["cause"], "row_lock");
}

TEST_P(BudgetServerLocks, RowIsGivenUpByWhoeverRollsBack) {
  Client holder = client(), waiter = client();
  holder.query("BEGIN");
  holder.query("DELETE FROM numbers WHERE id = 8");
  const json line =
      wait_for(holder, waiter, "SELECT square FROM numbers WHERE id = 8 FOR UPDATE", "ROLLBACK");
  expect_blocker(line, holder, "ROLLBACK");
}

TEST_P(BudgetServerLocks, RowThatNobodyGivesUpHasNoBlocker) {
  Client holder = client(), waiter = client();
  holder.query("BEGIN");
  holder.query("UPDATE numbers SET square = square + 1 WHERE id = 9");
  waiter.query("SET innodb_lock_wait_timeout = 1");
  BudgetTrace trace(server());
  const std::string text = "UPDATE numbers SET square = 81 WHERE id = 9";
  EXPECT_EQ(waiter.error_of(text), 1205u);
  const json line = line_with(trace.finish(1), waiter, text);
  holder.query("ROLLBACK");
  EXPECT_GE(ns_of(line, "row_lock_ns"), 900 * kMs) << line;
  // MySQL has a thread that ends waits which took too long.
  const json& blocker = line["blocker"];
  EXPECT_TRUE(blocker.is_null() || blocker["conn"].is_null()) << line;
}

TEST_P(BudgetServerLocks, NamedLockIsGivenUpByItsHolder) {
  Client holder = client(), waiter = client();
  holder.query("SELECT GET_LOCK('budget', 0)");
  const json line =
      wait_for(holder, waiter, "SELECT GET_LOCK('budget', 20)", "SELECT RELEASE_LOCK('budget')");
  expect_blocker(line, holder, "SELECT RELEASE_LOCK('budget')");
  // Since MySQL 5.7 and MariaDB 10.0 the servers keep named locks as metadata locks.
  EXPECT_GE(ns_of(line, "metadata_lock_ns"), kStuck) << line;
  waiter.query("SELECT RELEASE_LOCK('budget')");
}

TEST_P(BudgetServerLocks, DefinitionIsGivenUpByTheTransactionThatUsesTheTable) {
  Client holder = client(), waiter = client();
  holder.query("CREATE TABLE changed (id INT PRIMARY KEY) ENGINE=InnoDB");
  holder.query("BEGIN");
  holder.query("SELECT * FROM changed");
  const json line = wait_for(holder, waiter, "ALTER TABLE changed ADD COLUMN note INT", "COMMIT");
  EXPECT_GE(ns_of(line, "metadata_lock_ns"), kStuck) << line;
  expect_blocker(line, holder, "COMMIT");
  EXPECT_EQ(line["blocker"]["cause"], "metadata_lock");
  holder.query("DROP TABLE changed");
}

TEST_P(BudgetServerLocks, TableIsGivenUpByUnlockTables) {
  Client holder = client(), waiter = client();
  holder.query("LOCK TABLES numbers WRITE");
  const json line = wait_for(holder, waiter, "SELECT COUNT(*) FROM numbers", "UNLOCK TABLES");
  expect_blocker(line, holder, "UNLOCK TABLES");
}

TEST_P(BudgetServerLocks, SleepIsNoLock) {
  Client sleeper = client();
  BudgetTrace trace(server());
  const std::string text = "SELECT SLEEP(0.3)";
  sleeper.query(text);
  const json line = line_with(trace.finish(1), sleeper, text);
  EXPECT_GE(ns_of(line, "sleep_ns"), 290 * kMs) << line;
  EXPECT_LE(ns_of(line, "lock_ns"), 20 * kMs) << line;
  EXPECT_TRUE(line["blocker"].is_null()) << line;
}

}  // namespace
}  // namespace dbtrace::testing
