// Queries on PostgreSQL that do not end by themselves: cancelled, timed out, with a process that
// is terminated, killed, or taken down by a crash of the server. Each is told of once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "tests/runtime/postgres_trace.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;
using std::chrono::seconds;
using ::testing::ElementsAre;

class PostgresEnds : public OnPostgres {
 protected:
  static void wait_until_it_sleeps(const Postgres& of, const PgClient& client) {
    PgClient admin(of);
    const std::string text =
        "select wait_event from pg_stat_activity where pid = " + std::to_string(client.pid());
    ASSERT_TRUE(wait_until([&] { return admin.must(text) == "PgSleep"; }, seconds(20)));
  }
};

bool process_ended(const json& line) { return line.value("process_ended", false); }

// That of one session, which had one.
json only_line(const std::vector<json>& lines, pid_t pid) {
  const std::vector<json> own = lines_of(lines, pid);
  EXPECT_EQ(own.size(), 1U);
  return own.empty() ? json::object() : own.front();
}

TEST_P(PostgresEnds, CancelledAndTimedOut) {
  PgClient client(server()), holder(server());
  holder.must("create table if not exists ends(a int)");
  client.must("set statement_timeout = '200ms'");
  PostgresTrace trace(server());
  client.query("select pg_sleep(60)");
  holder.must("begin");
  holder.must("lock table ends");
  client.query("set lock_timeout = '100ms'; select count(*) from ends");
  client.must("select 1");
  holder.must("commit");
  const auto lines = lines_of(trace.finish(6), client.pid());
  EXPECT_THAT(told(lines),
              ElementsAre("Query select pg_sleep(60) -> 57014",
                          "Query set lock_timeout = '100ms'; select count(*) from ends -> 55P03",
                          "Query select 1 -> 1"));
  for (const json& line : lines) EXPECT_FALSE(process_ended(line)) << line;
  EXPECT_EQ(trace.summary().seen, 6U);
}

TEST_P(PostgresEnds, EachOfManyCancelledOnce) {
  PgClient client(server());
  constexpr int kTimes = 50;
  client.must("set statement_timeout = '5ms'");
  PostgresTrace trace(server());
  for (int i = 0; i < kTimes; ++i) client.query("select pg_sleep(60)");
  const auto lines = trace.finish(kTimes);
  EXPECT_THAT(told(lines), ::testing::Each("Query select pg_sleep(60) -> 57014"));
  EXPECT_EQ(lines.size(), size_t{kTimes});
  EXPECT_EQ(trace.summary().seen, uint64_t{kTimes});
}

TEST_P(PostgresEnds, TerminatedAtWorkAndIdle) {
  PgClient at_work(server()), idle(server()), admin(server());
  const pid_t pid = at_work.pid(), idle_pid = idle.pid();
  PostgresTrace trace(server());
  idle.must("select 'then idle'");
  PQsendQuery(at_work.raw(), "select pg_sleep(60)");
  wait_until_it_sleeps(server(), at_work);
  for (const pid_t each : {pid, idle_pid})
    admin.must("select pg_terminate_backend(" + std::to_string(each) + ") -- " +
               std::to_string(each));
  const auto lines = trace.finish(5);
  const json line = only_line(lines, pid);
  EXPECT_EQ(told(line), "Query select pg_sleep(60) -> 57P01");
  EXPECT_TRUE(process_ended(line)) << line;
  EXPECT_EQ(told(only_line(lines, idle_pid)), "Query select 'then idle' -> 1");
}

// A killed process takes the others down with it; the server starts anew from its log.
TEST_P(PostgresEnds, KilledAndTheCrashThatFollows) {
  const Postgres own(GetParam());
  auto killed = std::make_unique<PgClient>(own), other = std::make_unique<PgClient>(own);
  const pid_t killed_pid = killed->pid(), other_pid = other->pid();
  killed->must("create table survives as select 1 as a");
  PostgresTrace trace(own);
  other->must("select 'before'");
  PQsendQuery(killed->raw(), "select pg_sleep(60) /* killed */");
  PQsendQuery(other->raw(), "select pg_sleep(61) /* taken down */");
  wait_until_it_sleeps(own, *killed);
  wait_until_it_sleeps(own, *other);
  ASSERT_EQ(::kill(killed_pid, SIGKILL), 0);
  std::unique_ptr<PgClient> after;
  const auto connects = [&] {
    try {
      after = std::make_unique<PgClient>(own);
      return true;
    } catch (const std::runtime_error&) {
      return false;
    }
  };
  ASSERT_TRUE(wait_until(connects, seconds(60))) << own.log();
  EXPECT_EQ(after->must("select a from survives"), "1");
  const auto lines = trace.finish(6);

  const json line = only_line(lines, killed_pid);
  EXPECT_EQ(line.at("query"), "select pg_sleep(60) /* killed */");
  EXPECT_TRUE(process_ended(line)) << line;
  EXPECT_FALSE(line.contains("sqlstate")) << line;
  const auto of_other = lines_of(lines, other_pid);
  ASSERT_EQ(of_other.size(), 2U);
  EXPECT_EQ(of_other[1].at("query"), "select pg_sleep(61) /* taken down */");
  EXPECT_TRUE(process_ended(of_other[1])) << of_other[1];
  EXPECT_EQ(told(lines_of(lines, after->pid())),
            std::vector<std::string>{"Query select a from survives -> 1"});
}

DBTRACE_EACH_POSTGRES(PostgresEnds);

}  // namespace
}  // namespace dbtrace::testing
