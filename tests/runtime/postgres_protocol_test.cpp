// What `dbtrace queries` tells of each way to ask PostgreSQL for something is what was asked,
// and what came of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <map>
#include <thread>

#include "tests/runtime/postgres_trace.h"
#include "tests/runtime/postgres_wire.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using Strings = std::vector<std::string>;

class PostgresProtocol : public OnPostgres {};

TEST_P(PostgresProtocol, SimpleQueriesWithRowsAndErrors) {
  PgClient client(server());
  PostgresTrace trace(server());
  client.query("create temporary table t(a int)");
  client.query("insert into t select generate_series(1, 10)");
  client.query("select * from t where a > 7");
  client.query("select nosuch from t");
  client.query("selec 1");
  client.query("update t set a = 0 where a < 3");
  client.query("select 1/0");
  client.query("select 2");
  EXPECT_THAT(
      told(lines_of(trace.finish(8), client.pid())),
      ElementsAre("Query create temporary table t(a int) -> 0",
                  "Query insert into t select generate_series(1, 10) -> 10",
                  "Query select * from t where a > 7 -> 3", "Query select nosuch from t -> 42703",
                  "Query selec 1 -> 42601", "Query update t set a = 0 where a < 3 -> 2",
                  "Query select 1/0 -> 22012", "Query select 2 -> 1"));
}

TEST_P(PostgresProtocol, WhoAsksIsTold) {
  PgClient admin(server());
  admin.query("create role anna login");
  admin.query("create database shop");
  PostgresTrace trace(server());
  PgClient client(server(), "shop", "anna", "till");  // comes when dbtrace is there already
  client.query("select 1");
  client.query("set application_name = 'other'");
  client.query("select 2");
  const auto lines = lines_of(trace.finish(3), client.pid());
  ASSERT_EQ(lines.size(), 3u);
  // Before 15 no function that can be found reads them in a known order.
  const bool old = GetParam() == PostgresBuild::Version13 || GetParam() == PostgresBuild::Version14;
  const auto unless_old = [&](const char* text) { return old ? json() : json(text); };
  for (const auto& line : lines) {
    EXPECT_EQ(line.at("user"), unless_old("anna"));
    EXPECT_EQ(line.at("db"), unless_old("shop"));
    EXPECT_EQ(line.at("host"), unless_old("[local]"));
    EXPECT_EQ(line.at("conn"), client.pid());
    EXPECT_EQ(line.at("flavor"), "postgres");
  }
  // Brackets and all.
  PostgresTrace chosen(server(), {"--host", "[local]"});
  client.query("select 3");
  const auto local = lines_of(chosen.finish(old ? 0 : 1), client.pid());
  EXPECT_EQ(local.size(), old ? 0u : 1u);
  EXPECT_EQ(lines[0].at("application"), "till");
  EXPECT_EQ(lines[2].at("application"), "other");
}

TEST_P(PostgresProtocol, ExtendedProtocol) {
  PgClient client(server());
  PostgresTrace trace(server());
  client.with_parameters("select $1::int + 1", {"41"});
  client.prepare("s", "select generate_series(1, $1::int)");
  client.execute("s", {"5"});
  client.execute("s", {"0"});
  client.execute("s", {"none"});     // fails in Bind
  client.prepare("bad", "selec 1");  // fails in Parse
  client.with_parameters("select 1/(random() * $1::int)::int", {"0"});
  client.with_parameters("select 1/$1::int", {"0"});  // fails when it is planned
  client.execute("nosuch", {"1"});  // there is nothing to bind: no text, no record
  client.execute("s", {"2"});
  EXPECT_THAT(
      told(lines_of(trace.finish(8), client.pid())),
      ElementsAre(
          "Execute select $1::int + 1 -> 1", "Execute select generate_series(1, $1::int) -> 5",
          "Execute select generate_series(1, $1::int) -> 0",
          "Bind select generate_series(1, $1::int) -> 22P02", "Parse selec 1 -> 42601",
          "Execute select 1/(random() * $1::int)::int -> 22012", "Bind select 1/$1::int -> 22012",
          "Execute select generate_series(1, $1::int) -> 2"));
}

// Each part is an execution; the portal's Bind belongs to the first.
TEST_P(PostgresProtocol, PortalsThatAreFetchedInParts) {
  PgWire client(server());
  PostgresTrace trace(server());
  EXPECT_EQ(client.parse("", "select generate_series(1, 5)").bind("", "").execute("", 2).sync(),
            "12DDsZ");
  EXPECT_EQ(client.parse("", "begin").bind("", "").execute("", 0).sync(), "12CZ");
  EXPECT_EQ(client.parse("s", "select generate_series(1, 5) -- open").bind("p", "s").sync(), "12Z");
  EXPECT_EQ(client.execute("p", 3).sync(), "DDDsZ");
  EXPECT_EQ(client.execute("p", 3).sync(), "DDCZ");
  EXPECT_EQ(client.execute("p", 3).sync(), "CZ");
  EXPECT_EQ(client.parse("", "commit").bind("", "").execute("", 0).sync(), "12CZ");
  // A part has no number of rows: the server tells it of what is completed only.
  EXPECT_THAT(
      told(lines_of(trace.finish(6), client.pid())),
      ElementsAre("Execute select generate_series(1, 5) -> null", "Execute begin -> 0",
                  "Execute select generate_series(1, 5) -- open -> null",
                  "Execute select generate_series(1, 5) -- open -> 2",
                  "Execute select generate_series(1, 5) -- open -> 0", "Execute commit -> 0"));
}

TEST_P(PostgresProtocol, PreparingIsShownWhenAskedFor) {
  PgClient client(server());
  PostgresTrace trace(server(), {"--all-commands"});
  client.prepare("p", "select 1");
  client.execute("p", {});
  EXPECT_THAT(told(lines_of(trace.finish(2), client.pid())),
              ElementsAre("Parse select 1 -> null", "Execute select 1 -> 1"));
}

TEST_P(PostgresProtocol, SeveralStatementsInOneQuery) {
  PgClient client(server());
  PostgresTrace trace(server());
  client.query("select 1; select generate_series(1, 4); ;");
  client.query("select 1; select 1/0; select 2");
  client.query("");
  client.query("-- nothing");
  EXPECT_THAT(told(lines_of(trace.finish(4), client.pid())),
              ElementsAre("Query select 1; select generate_series(1, 4); ; -> 5",
                          "Query select 1; select 1/0; select 2 -> 22012", "Query  -> null",
                          "Query -- nothing -> null"));
}

TEST_P(PostgresProtocol, Pipelining) {
  PgClient client(server());
  PGconn* connection = client.raw();
  PostgresTrace trace(server());
  ASSERT_EQ(PQenterPipelineMode(connection), 1);
  for (int i = 1; i <= 5; ++i)
    PQsendQueryParams(connection, ("select generate_series(1, " + std::to_string(i) + ")").c_str(),
                      0, nullptr, nullptr, nullptr, nullptr, 0);
  PQsendQueryParams(connection, "select 1/0", 0, nullptr, nullptr, nullptr, nullptr, 0);
  PQsendQueryParams(connection, "select 'skipped'", 0, nullptr, nullptr, nullptr, nullptr, 0);
  ASSERT_EQ(PQpipelineSync(connection), 1);
  for (bool synchronised = false; !synchronised;) {
    const PgResult result(PQgetResult(connection));
    synchronised = result && PQresultStatus(result.get()) == PGRES_PIPELINE_SYNC;
  }
  Strings expected;
  for (int i = 1; i <= 5; ++i)
    expected.push_back("Execute select generate_series(1, " + std::to_string(i) + ") -> " +
                       std::to_string(i));
  expected.push_back("Bind select 1/0 -> 22012");
  EXPECT_THAT(told(lines_of(trace.finish(6), client.pid())), ::testing::ElementsAreArray(expected));
}

// The time between a flush and the client's next message is not the query's.
TEST_P(PostgresProtocol, AClientThatThinksInAPipelineCostsNothing) {
  PgClient client(server());
  PGconn* connection = client.raw();
  PostgresTrace trace(server());
  ASSERT_EQ(PQenterPipelineMode(connection), 1);
  PQsendQueryParams(connection, "select 7", 0, nullptr, nullptr, nullptr, nullptr, 0);
  PQsendFlushRequest(connection);
  PQflush(connection);
  PgResult first(PQgetResult(connection));
  ASSERT_EQ(PQresultStatus(first.get()), PGRES_TUPLES_OK);
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  ASSERT_EQ(PQpipelineSync(connection), 1);
  const auto lines = lines_of(trace.finish(1), client.pid());
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_LT(lines[0].at("duration_ns"), 1'000'000'000u);
}

TEST_P(PostgresProtocol, Copy) {
  PgClient client(server());
  client.must("create temporary table c(a int)");
  PostgresTrace trace(server());
  ASSERT_EQ(PQresultStatus(client.query("copy c from stdin").get()), PGRES_COPY_IN);
  PQputCopyData(client.raw(), "1\n2\n3\n", 6);
  PQputCopyEnd(client.raw(), nullptr);
  while (PgResult(PQgetResult(client.raw()))) {
  }
  PgResult out = client.query("copy c to stdout");
  char* line = nullptr;
  while (PQgetCopyData(client.raw(), &line, 0) > 0) PQfreemem(line);
  while (PgResult(PQgetResult(client.raw()))) {
  }
  client.query("copy c from '/nosuch'");
  EXPECT_THAT(told(lines_of(trace.finish(3), client.pid())),
              ElementsAre("Query copy c from stdin -> 3", "Query copy c to stdout -> 3",
                          "Query copy c from '/nosuch' -> 58P01"));
}

TEST_P(PostgresProtocol, FunctionCallsHaveNoText) {
  PgClient client(server());
  const int oid = std::stoi(client.must("select 'pg_backend_pid'::regproc::oid"));
  PostgresTrace trace(server(), {"--command", "function call"});
  int result = 0, length = 0;
  PgResult done(PQfn(client.raw(), oid, &result, &length, 1, nullptr, 0));
  EXPECT_EQ(result, client.pid());
  EXPECT_THAT(told(lines_of(trace.finish(1), client.pid())), ElementsAre("FunctionCall - -> null"));
}

TEST_P(PostgresProtocol, CancelledAndTerminatedQueriesEnd) {
  PgClient cancelled(server()), terminated(server()), admin(server());
  const pid_t killed = terminated.pid();
  PostgresTrace trace(server());
  std::thread first([&] { cancelled.query("select pg_sleep(60)"); });
  std::thread second([&] { terminated.query("select pg_sleep(61)"); });
  const auto running = [&](const char* text) {
    return admin.must("select count(*) from pg_stat_activity where query = '" + std::string(text) +
                      "' and wait_event = 'PgSleep'") == "1";
  };
  EXPECT_TRUE(wait_until([&] { return running("select pg_sleep(60)"); }, std::chrono::seconds(20)));
  EXPECT_TRUE(wait_until([&] { return running("select pg_sleep(61)"); }, std::chrono::seconds(20)));
  admin.must("select pg_cancel_backend(" + std::to_string(cancelled.pid()) + ")");
  admin.must("select pg_terminate_backend(" + std::to_string(killed) + ")");
  first.join();
  second.join();
  EXPECT_TRUE(wait_until([&] { return ::kill(killed, 0) != 0; }, std::chrono::seconds(10)));
  const auto lines = trace.finish(4);
  EXPECT_THAT(told(lines_of(lines, cancelled.pid())),
              ElementsAre("Query select pg_sleep(60) -> 57014"));
  const auto ended = lines_of(lines, killed);
  EXPECT_THAT(told(ended), ElementsAre("Query select pg_sleep(61) -> 57P01"));
  EXPECT_EQ(ended.at(0).value("process_ended", false), true);
}

TEST_P(PostgresProtocol, ErrorsThatAreCaughtAreNone) {
  PgClient client(server());
  client.must(
      "create or replace function pg_temp.careful() returns int language plpgsql as $$ begin "
      "perform 1/0; exception when division_by_zero then return 7; end $$");
  PostgresTrace trace(server());
  client.query("select pg_temp.careful()");
  client.query("do $$ begin raise 'own' using errcode = 'AB123'; end $$");
  EXPECT_THAT(
      told(lines_of(trace.finish(2), client.pid())),
      ElementsAre("Query select pg_temp.careful() -> 1",
                  "Query do $$ begin raise 'own' using errcode = 'AB123'; end $$ -> AB123"));
}

TEST_P(PostgresProtocol, LongTextsAreCutOrWhole) {
  PgClient client(server());
  const std::string text = "select '" + std::string(20'000, 'x') + "'";
  {
    PostgresTrace trace(server());
    client.query(text);
    const auto lines = lines_of(trace.finish(1), client.pid());
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0].at("query"), text.substr(0, 4096));
    EXPECT_EQ(lines[0].at("query_length"), text.size());
    EXPECT_EQ(lines[0].at("truncated"), true);
  }
  PostgresTrace trace(server(), {"--max-text", "64K"});
  client.query(text);
  const auto lines = lines_of(trace.finish(1), client.pid());
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].at("query"), text);
}

TEST_P(PostgresProtocol, ParallelWorkersBelongToTheirLeader) {
  PgClient client(server());
  client.must("create table if not exists big as select generate_series(1, 200000) as a");
  client.must("analyze big");
  client.must("set max_parallel_workers_per_gather = 2");
  ASSERT_THAT(client.must("explain select count(*) from big where a % 7 = 0"),
              ::testing::HasSubstr("Aggregate"));
  PostgresTrace trace(server());
  client.must("select count(*) from big where a % 7 = 0");
  size_t workers = 0;
  for (const auto& line : trace.finish(3)) {
    if (line.at("command") != "ParallelWorker") continue;
    ++workers;
    EXPECT_EQ(line.at("conn"), client.pid());
    EXPECT_NE(line.at("pid"), client.pid());
    EXPECT_EQ(line.at("query"), "select count(*) from big where a % 7 = 0");
  }
  EXPECT_EQ(workers, 2u);
}

TEST_P(PostgresProtocol, StatementsInsideFunctions) {
  PgClient client(server());
  client.must("create temporary table s(a int)");
  client.must(
      "create function pg_temp.inner_one() returns int language plpgsql as $$ begin "
      "insert into s values (7); return 1; end $$");
  PostgresTrace trace(server(), {"--statements"});
  client.query(
      "do $$ begin perform pg_temp.inner_one(); begin perform 1/0; exception when "
      "division_by_zero then perform 'after'; end; end $$");
  client.query("select 5");
  std::map<uint64_t, json> by_id;
  std::vector<json> statements;
  const auto lines = lines_of(trace.finish(4), client.pid());
  for (const json& line : lines) {
    by_id[line.at("statement_id").get<uint64_t>()] = line;
    if (line.at("command") == "Statement") statements.push_back(line);
  }
  const auto find = [&](const std::string& part) {
    for (const json& line : statements)
      if (line.at("query").get<std::string>().find(part) != std::string::npos) return line;
    ADD_FAILURE() << "no statement with " << part;
    return json::object();
  };
  const json outer = find("inner_one"), inner = find("insert into s"), after = find("after");
  EXPECT_EQ(inner.at("parent_id"), outer.at("statement_id"));
  EXPECT_EQ(inner.at("depth"), 2);
  EXPECT_EQ(outer.at("depth"), 1);
  EXPECT_EQ(after.at("depth"), 1) << "the statement that failed before it is gone";
  EXPECT_EQ(by_id.at(outer.at("parent_id").get<uint64_t>()).at("command"), "Query");
  EXPECT_EQ(told(lines.back()), "Query select 5 -> 1");
  EXPECT_EQ(lines.back().at("depth"), 0);
}

// Shown while it lasts, and never counted.
TEST_P(PostgresProtocol, IdleTransactionsAreShownAmongThoseThatRun) {
  PgClient idle(server()), other(server());
  DbtraceProcess dbtrace({"queries", "-p", std::to_string(server().pid()), "--running", "--format",
                          "json", "--duration", "3s"});
  dbtrace.wait_until_attached();
  other.must("begin");
  other.must("select 'finished'");
  other.must("commit");
  idle.must("begin");
  idle.must("select 'left open'");
  EXPECT_EQ(dbtrace.wait(), 0) << dbtrace.errors();
  idle.must("rollback");
  size_t seen = 0;
  for (const json& line : dbtrace.queries()) {
    if (line.at("command") != "IdleInTransaction") continue;
    ++seen;
    EXPECT_EQ(line.at("pid"), idle.pid());
    EXPECT_EQ(line.at("running"), true);
    EXPECT_EQ(line.at("query"), "select 'left open'");
  }
  EXPECT_GE(seen, 1u) << dbtrace.output() << dbtrace.errors();
}

// Two servers of one file, and a process that is not the postmaster.
TEST_P(PostgresProtocol, OnlyTheServerThatIsAskedFor) {
  const Postgres second(GetParam());
  PgClient ours(server()), theirs(second);
  DbtraceProcess dbtrace({"queries", "-p", std::to_string(ours.pid()), "--format", "json"});
  dbtrace.wait_until_attached();
  EXPECT_THAT(dbtrace.errors(),
              ::testing::HasSubstr("(pid " + std::to_string(server().pid()) + ","));
  theirs.must("select 'theirs'");
  ours.must("select 'ours'");
  EXPECT_TRUE(dbtrace.wait_for_lines(1));
  EXPECT_EQ(dbtrace.stop(), 0);
  ASSERT_EQ(dbtrace.queries().size(), 1u);
  EXPECT_EQ(dbtrace.queries()[0].at("query"), "select 'ours'");
  EXPECT_EQ(run_dbtrace({"queries", "--limit", "1"}).exit_code, 2) << "there are several";
}

DBTRACE_EACH_POSTGRES(PostgresProtocol);
DBTRACE_OTHER_POSTGRES_SINCE(13, PostgresProtocol);

}  // namespace
}  // namespace dbtrace::testing
