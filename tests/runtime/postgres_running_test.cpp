// What runs on PostgreSQL at the moment, and what its code is doing: also in queries that
// began before anybody looked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "tests/runtime/postgres_trace.h"
#include "tests/runtime/stacks.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;
using std::chrono::seconds;

class PostgresRunning : public OnPostgres {
 protected:
  static std::string pid() { return std::to_string(server().pid()); }
  static void wait_until_it_sleeps(const PgClient& client) {
    PgClient admin(server());
    const std::string text =
        "select wait_event from pg_stat_activity where pid = " + std::to_string(client.pid());
    ASSERT_TRUE(wait_until([&] { return admin.must(text) == "PgSleep"; }, seconds(20)));
  }
  static void cancel(PgClient& client) {
    PgClient admin(server());
    admin.must("select pg_cancel_backend(" + std::to_string(client.pid()) + ")");
    while (PgResult(PQgetResult(client.raw()))) {
    }
  }
  static std::optional<json> last_of(const DbtraceProcess& process, const PgClient& client) {
    const std::vector<json> lines = lines_of(process.queries(), client.pid());
    return lines.empty() ? std::nullopt : std::optional(lines.back());
  }
};

TEST_P(PostgresRunning, ShowsWhatBeganBeforeAttaching) {
  PgClient admin(server());
  admin.must("drop role if exists anna");
  admin.must("create role anna login");
  PgClient simple(server(), "postgres", "anna"), extended(server()), idle(server());
  const std::string comment(5000, 'x');  // more than is shown of what begins
  const std::string text = "select pg_sleep(60) /* before " + comment + " */";
  PQsendQuery(simple.raw(), text.c_str());
  const char* values[] = {"61"};
  PQsendQueryParams(extended.raw(), "select pg_sleep($1::int)", 1, nullptr, values, nullptr,
                    nullptr, 0);
  idle.must("select 'done before'");
  wait_until_it_sleeps(simple);
  wait_until_it_sleeps(extended);

  DbtraceProcess process(
      {"queries", "-p", pid(), "--running", "--interval", "200ms", "--format", "json"});
  process.wait_until_attached();
  ASSERT_TRUE(wait_until([&] { return last_of(process, simple) && last_of(process, extended); },
                         seconds(20)))
      << process.output() << process.errors();
  const json first = *last_of(process, simple), second = *last_of(process, extended);
  const auto shown = first.at("query").get<std::string>();
  EXPECT_TRUE(text.starts_with(shown)) << first;
  EXPECT_GT(shown.size(), 1000U);
  EXPECT_EQ(first.at("query_length"), text.size()) << first;
  EXPECT_EQ(first.at("user"), "anna");
  EXPECT_EQ(first.at("db"), "postgres");
  EXPECT_EQ(first.at("conn"), simple.pid());
  EXPECT_EQ(second.at("query"), "select pg_sleep($1::int)");
  for (const json& line : {first, second}) {
    EXPECT_EQ(line.at("command"), nullptr);
    EXPECT_EQ(line.at("running"), true);
    EXPECT_GT(line.at("duration_ns"), uint64_t{10'000'000});
    EXPECT_LT(line.at("duration_ns"), uint64_t{60'000'000'000});
  }
  EXPECT_FALSE(last_of(process, idle));

  // What has ended vanishes, and what comes then is seen as ever.
  cancel(simple);
  PQsendQuery(simple.raw(), "select pg_sleep(62)");
  ASSERT_TRUE(wait_until(
      [&] { return last_of(process, simple)->at("query") == "select pg_sleep(62)"; }, seconds(20)));
  EXPECT_EQ(last_of(process, simple)->at("command"), "Query");
  EXPECT_EQ(last_of(process, extended)->at("query"), "select pg_sleep($1::int)");
  cancel(simple);
  cancel(extended);
  const auto gone = [&] {
    const size_t seen = process.queries().size();
    std::this_thread::sleep_for(seconds(1));
    return process.queries().size() == seen;
  };
  EXPECT_TRUE(wait_until(gone, seconds(20)));
  EXPECT_EQ(process.stop(), 0);
}

// The server's functions, by the names that it exports, in stacks of that cause.
void expect_stack_of_sleep(const json& line, const std::string& cause) {
  int64_t asleep = 0;
  for (const json& stack : line.at("stacks")) {
    if (stack.at("cause") != cause) continue;
    asleep += stack.at("ns").get<int64_t>();
    EXPECT_EQ(stack.at("whole"), true) << stack;
    const std::vector<std::string> names = names_of(stack);
    for (const char* name :
         {"PostgresMain", "PortalRun", "standard_ExecutorRun", "pg_sleep", "WaitLatch"})
      EXPECT_THAT(names, ::testing::Contains(name)) << stack;
  }
  EXPECT_GE(asleep, 200'000'000) << line;
}

TEST_P(PostgresRunning, StacksOfWhatIsSlow) {
  PgClient client(server());
  StackTrace trace(server().pid());
  client.must("select 'fast'");
  client.must("select pg_sleep(0.3)");
  const std::vector<json> lines = trace.finish(1);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].at("query"), "select pg_sleep(0.3)");
  expect_stack_of_sleep(lines[0], "sleep");
  EXPECT_NEAR(lines[0].at("budget").at("sleep_ns").get<double>(),
              static_cast<double>(ns_of_stacks(lines[0], "sleep")), 5'000'000)
      << lines[0];
}

// As those of psql -c: when the query's end is told, there is no process that could be asked.
TEST_P(PostgresRunning, StacksOfASessionThatEndsWithItsQuery) {
  StackTrace trace(server().pid());
  {
    PgClient client(server());
    client.must("select pg_sleep(1)");
  }
  const std::vector<json> lines = trace.finish(1);
  ASSERT_EQ(lines.size(), 1U);
  expect_stack_of_sleep(lines[0], "sleep");
}

TEST_P(PostgresRunning, AComputationIsSampledByItsFunctions) {
  PgClient client(server());
  client.must("set work_mem = '256MB'");  // no time in files
  StackTrace trace(server().pid());
  client.must("select sum(sqrt(i)) from generate_series(1, 2000000) i");
  const json line = trace.finish(1).at(0);
  const int64_t sampled = ns_of_stacks(line, "on_cpu");
  const auto told = line.at("budget").at("on_cpu_ns").get<int64_t>();
  ASSERT_GT(told, 100'000'000);
  EXPECT_NEAR(static_cast<double>(sampled), static_cast<double>(told),
              static_cast<double>(told) * 0.3 + 30'000'000)
      << line;
  EXPECT_GE(ns_in(line, "standard_ExecutorRun"), sampled * 9 / 10) << line;
  // Of the functions that every build exports, the one with a large part of the time: a single
  // sample of sqrt's own is a matter of luck.
  EXPECT_GE(ns_in(line, "ExecMakeTableFunctionResult"), sampled / 10) << line;
}

TEST_P(PostgresRunning, StacksOfWhatBeganBeforeAttaching) {
  PgClient client(server());
  PQsendQuery(client.raw(), "select pg_sleep(60)");
  wait_until_it_sleeps(client);
  DbtraceProcess process(
      {"stacks", "-p", pid(), "--running", "--format", "json", "--duration", "2s"});
  EXPECT_EQ(process.wait(), 0) << process.errors();
  cancel(client);
  const std::vector<json> lines = lines_of(process.queries(), client.pid());
  ASSERT_FALSE(lines.empty()) << process.output() << process.errors();
  EXPECT_EQ(lines.back().at("query"), "select pg_sleep(60)");
  // Nobody saw the wait begin, but the server shows what it is for.
  expect_stack_of_sleep(lines.back(), "sleep");
}

DBTRACE_EACH_POSTGRES(PostgresRunning);
DBTRACE_OTHER_POSTGRES_SINCE(16, PostgresRunning);

}  // namespace
}  // namespace dbtrace::testing
