// Where a query's time went on PostgreSQL: locks and who held them, files, sleep.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/runtime/postgres_trace.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;

constexpr int64_t kMs = 1'000'000;

class PostgresBudget : public OnPostgres {};

json line_with(const std::vector<json>& lines, const PgClient& client, const std::string& text) {
  for (const json& line : lines_of(lines, client.pid()))
    if (line.at("query") == text) return line;
  ADD_FAILURE() << "no line of " << text;
  return json::object();
}

int64_t ns_of(const json& line, const std::string& key) {
  return line.at("budget").at(key).get<int64_t>();
}

int64_t event_ns(const json& line, const std::string& event) {
  for (const json& wait : line.at("wait_events"))
    if (wait.at("event") == event) return wait.at("ns").get<int64_t>();
  return 0;
}

bool waits_for_lock(PgClient& admin, const PgClient& client) {
  return admin.must("select wait_event_type from pg_stat_activity where pid = " +
                    std::to_string(client.pid())) == "Lock";
}

TEST_P(PostgresBudget, ALockChainOfThree) {
  PgClient first(server()), second(server()), third(server()), admin(server());
  admin.must("drop table if exists chain");
  admin.must("create table chain as select generate_series(1, 2) as a, 0 as b");
  const std::string to_two = "update chain set b = 2 where a = 1";
  const std::string to_three = "update chain set b = 3 where a = 2";
  PostgresTrace trace(server(), {"--budget"});
  first.must("begin");
  first.must("update chain set b = 1 where a = 1");
  second.must("begin");
  second.must("update chain set b = 2 where a = 2");
  std::thread two([&] { second.query(to_two); });
  EXPECT_TRUE(wait_until([&] { return waits_for_lock(admin, second); }, std::chrono::seconds(20)));
  std::thread three([&] { third.query(to_three); });
  EXPECT_TRUE(wait_until([&] { return waits_for_lock(admin, third); }, std::chrono::seconds(20)));
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  first.must("commit -- of the first");
  two.join();
  EXPECT_TRUE(wait_until([&] { return waits_for_lock(admin, third); }, std::chrono::seconds(20)));
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  second.must("commit -- of the second");
  three.join();
  const auto lines = trace.finish(9);
  const json of_two = line_with(lines, second, to_two),
             of_three = line_with(lines, third, to_three);
  EXPECT_GE(ns_of(of_two, "lock_ns"), 140 * kMs) << of_two;
  EXPECT_GE(ns_of(of_three, "lock_ns"), 500 * kMs) << of_three;
  // The second waits for the first's end, the third all the time for the second's.
  EXPECT_GE(event_ns(of_two, "transactionid"), 140 * kMs) << of_two;
  EXPECT_GE(event_ns(of_three, "transactionid"), 500 * kMs) << of_three;
  EXPECT_EQ(of_two.at("blocker").at("conn"), first.pid()) << of_two;
  EXPECT_EQ(of_two.at("blocker").at("query"), "commit -- of the first") << of_two;
  EXPECT_EQ(of_three.at("blocker").at("conn"), second.pid()) << of_three;
  EXPECT_EQ(of_three.at("blocker").at("query"), "commit -- of the second") << of_three;
}

TEST_P(PostgresBudget, KindsOfLocksAreToldApart) {
  PgClient holder(server()), waiter(server()), admin(server());
  admin.must("create table if not exists kinds(a int)");
  const struct {
    const char* take;
    const char* wait;
    const char* key;
  } kinds[] = {
      {"lock table kinds", "select count(*) from kinds", "table_lock_ns"},
      {"select pg_advisory_xact_lock(7)", "select pg_advisory_xact_lock(7)", "user_lock_ns"}};
  for (const auto& kind : kinds) {
    PostgresTrace trace(server(), {"--budget"});
    holder.must("begin");
    holder.must(kind.take);
    std::thread waiting([&] { waiter.query(kind.wait); });
    EXPECT_TRUE(
        wait_until([&] { return waits_for_lock(admin, waiter); }, std::chrono::seconds(20)));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    holder.must("commit");
    waiting.join();
    const json line = line_with(trace.finish(4), waiter, kind.wait);
    EXPECT_GE(line.at("budget").at("locks").value(kind.key, int64_t{0}), 90 * kMs) << line;
    EXPECT_EQ(line.at("blocker").at("query"), "commit") << line;
  }
}

TEST_P(PostgresBudget, SleepIsSleepAndTheSumIsTheDuration) {
  PgClient client(server());
  PostgresTrace trace(server(), {"--budget"});
  client.must("select pg_sleep(0.3)");
  const json line = line_with(trace.finish(1), client, "select pg_sleep(0.3)");
  EXPECT_GE(ns_of(line, "sleep_ns"), 290 * kMs) << line;
  int64_t sum = 0;
  for (const auto& [key, value] : line.at("budget").items())
    if (key.ends_with("_ns") && value.is_number()) sum += value.get<int64_t>();
  EXPECT_GE(sum, line.at("duration_ns").get<int64_t>()) << line;
}

TEST_P(PostgresBudget, FilesAreToldByTheirTables) {
  PgClient client(server());
  client.must("drop table if exists files");
  client.must("create table files(a int, b text)");
  client.must("checkpoint");
  PostgresTrace trace(server(), {"--budget"});
  const std::string text =
      "insert into files select i, repeat('x', 1000) from generate_series(1, "
      "20000) i";
  client.must(text);
  const json line = line_with(trace.finish(1), client, text);
  std::vector<std::string> tables;
  for (const json& file : line.at("io").at("files")) tables.push_back(file.value("table", ""));
  EXPECT_THAT(tables, ::testing::Contains("public.files")) << line;
  EXPECT_THAT(tables, ::testing::Contains("wal")) << line;
}

DBTRACE_EACH_POSTGRES(PostgresBudget);
DBTRACE_OTHER_POSTGRES_SINCE(14, PostgresBudget);

}  // namespace
}  // namespace dbtrace::testing
