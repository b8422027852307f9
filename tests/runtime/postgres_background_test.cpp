// Work that no client waits for, and commands of standby servers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>

#include "tests/runtime/postgres_trace.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class PostgresBackground : public OnPostgres {};

std::vector<json> autovacuums_of(const std::vector<json>& lines, const std::string& table) {
  std::vector<json> found;
  for (const json& line : lines)
    if (line.at("command") == "Autovacuum" &&
        line.at("query").get<std::string>().find(table) != std::string::npos)
      found.push_back(line);
  return found;
}

// Both are done as soon as there is anything to do.
constexpr const char* kEager =
    "autovacuum_naptime = 1\nautovacuum_vacuum_threshold = 10\n"
    "autovacuum_vacuum_scale_factor = 0\nautovacuum_analyze_threshold = 1000000\n";

// Has rows come and go until the server has noticed: up to 14 it counts them by datagrams, which
// may be lost.
[[nodiscard]] bool change_until(PgClient& client, const std::string& table,
                                const std::function<bool()>& noticed) {
  for (int i = 0; i < 10; ++i) {
    client.must("insert into " + table + " select generate_series(1, 5000)");
    client.must("delete from " + table);
    if (wait_until(noticed, std::chrono::seconds(6))) return true;
  }
  return false;
}

TEST_P(PostgresBackground, AutovacuumIsCountedAsTheServerCounts) {
  const Postgres eager(GetParam(), kEager);
  PgClient client(eager);
  PostgresTrace trace(eager);
  client.must("create table vacuumed(a int)");
  const auto count = [&] {
    return client.must(
        "select autovacuum_count from pg_stat_user_tables where relname = 'vacuumed'");
  };
  ASSERT_TRUE(change_until(client, "vacuumed", [&] { return count() != "0"; }));
  client.must("alter table vacuumed set (autovacuum_enabled = off)");
  ASSERT_TRUE(wait_until(
      [&] {
        return client.must(
                   "select count(*) from pg_stat_activity where query like "
                   "'autovacuum: VACUUM%vacuumed%'") == "0";
      },
      std::chrono::seconds(60)));
  const auto told = autovacuums_of(trace.finish(1), "public.vacuumed");
  EXPECT_TRUE(
      wait_until([&] { return count() == std::to_string(told.size()); }, std::chrono::seconds(20)))
      << told.size() << " were told of, " << count() << " counted";
  for (const json& line : told) {
    EXPECT_THAT(line.at("query").get<std::string>(), StartsWith("autovacuum: VACUUM"));
    EXPECT_EQ(line.at("error"), 0);
    EXPECT_GT(line.at("duration_ns").get<uint64_t>(), 0u);
    EXPECT_NE(line.at("pid"), client.pid());
  }
}

// A vacuum that takes minutes gives way to a session that wants the table.
TEST_P(PostgresBackground, AnAutovacuumThatIsCancelledHasFailed) {
  const Postgres eager(GetParam(), std::string(kEager) + "deadlock_timeout = 100ms\n");
  PgClient client(eager), other(eager);
  PostgresTrace trace(eager);
  client.must(
      "create table wanted(a int) with (autovacuum_vacuum_cost_delay = 100, "
      "autovacuum_vacuum_cost_limit = 1)");
  client.must("insert into wanted select generate_series(1, 100000)");
  ASSERT_TRUE(change_until(client, "wanted", [&] {
    return other.must(
               "select count(*) from pg_stat_activity where query like "
               "'autovacuum: VACUUM%wanted%'") != "0";
  }));
  client.must("begin");
  client.must("lock table wanted in access exclusive mode");
  client.must("alter table wanted set (autovacuum_enabled = off)");
  client.must("commit");
  const auto told = autovacuums_of(trace.finish(1), "public.wanted");
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.front().value("sqlstate", ""), "57014");
}

// Which pg_stat_statements counts once, too.
TEST_P(PostgresBackground, ParallelWorkersAreNoQueriesOfTheirOwn) {
  constexpr int kQueries = 20;
  const std::string query = "select count(*) from parallel where a % 7 = 0";
  PgClient client(server());
  client.must("create table if not exists parallel as select generate_series(1, 100000) as a");
  client.must("analyze parallel");
  client.must("set max_parallel_workers_per_gather = 2");
  ASSERT_THAT(client.must("explain (analyze) " + query), HasSubstr("Aggregate"));
  client.must("select pg_stat_statements_reset()");
  DbtraceProcess dbtrace({"histogram", "-p", std::to_string(server().pid()), "--format", "json"});
  dbtrace.wait_until_attached();
  for (int i = 0; i < kQueries; ++i) client.must(query);
  EXPECT_EQ(dbtrace.stop(), 0) << dbtrace.errors();
  EXPECT_EQ(client.must("select calls from pg_stat_statements where query like "
                        "'select count(*) from parallel%'"),
            std::to_string(kQueries));
  const json report = dbtrace.queries().back();
  size_t kinds = 0;
  for (const json& kind : report.at("kinds")) {
    if (kind.at("text").get<std::string>().find("parallel") == std::string::npos) continue;
    ++kinds;
    EXPECT_EQ(kind.at("count"), kQueries) << kind;
  }
  EXPECT_EQ(kinds, 1u);
}

TEST_P(PostgresBackground, CommandsOfStandbyServers) {
  PgClient client(server());
  PostgresTrace trace(server());
  PGconn* standby = PQconnectdb(
      ("host=" + server().socket_folder() + " user=postgres replication=database dbname=postgres")
          .c_str());
  ASSERT_EQ(PQstatus(standby), CONNECTION_OK) << PQerrorMessage(standby);
  const PgResult identified(PQexec(standby, "IDENTIFY_SYSTEM"));
  EXPECT_EQ(PQresultStatus(identified.get()), PGRES_TUPLES_OK);
  const PgResult failed(PQexec(standby, "DROP_REPLICATION_SLOT nosuch"));
  EXPECT_EQ(PQresultStatus(failed.get()), PGRES_FATAL_ERROR);
  const PgResult ordinary(PQexec(standby, "select 5"));
  EXPECT_EQ(PQresultStatus(ordinary.get()), PGRES_TUPLES_OK);
  const pid_t pid = PQbackendPID(standby);
  PQfinish(standby);
  const auto lines = lines_of(trace.finish(3), pid);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(told(lines.back()), "Query select 5 -> 1");
  EXPECT_EQ(lines[0].at("command"), "Replication");
  EXPECT_EQ(lines[0].at("query"), "IDENTIFY_SYSTEM");
  EXPECT_EQ(lines[0].at("error"), 0);
  EXPECT_EQ(lines[1].at("command"), "Replication");
  EXPECT_EQ(lines[1].value("sqlstate", ""), "42704");  // undefined_object
}

DBTRACE_EACH_POSTGRES(PostgresBackground);
DBTRACE_OTHER_POSTGRES_SINCE(13, PostgresBackground);

}  // namespace
}  // namespace dbtrace::testing
