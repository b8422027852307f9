// On real servers: what their clients did is what is counted, and no number of
// probes does them harm.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/runtime/client.h"
#include "tests/runtime/func_support.h"
#include "tests/runtime/servers.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::HasSubstr;

class RealServers : public ::testing::TestWithParam<Flavor> {
 protected:
  void SetUp() override {
    if (const auto reason = why_unavailable(GetParam())) GTEST_SKIP() << *reason;
    server_ = &shared_server(GetParam());
  }

  std::unique_ptr<DbtraceProcess> func(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "func");
    arguments.insert(arguments.end(), {"--format", "json", "-p", std::to_string(server_->pid())});
    auto dbtrace = std::make_unique<DbtraceProcess>(arguments);
    dbtrace->wait_until_attached(seconds(120));
    return dbtrace;
  }

  Session session() const { return {.socket = server_->socket()}; }

  Server* server_ = nullptr;
};
INSTANTIATE_TEST_SUITE_P(On, RealServers, ::testing::Values(Flavor::MariaDb, Flavor::MySql),
                         [](const auto& each) { return std::string(flavor_name(each.param)); });

TEST_P(RealServers, EveryCommandIsOneCall) {
  Client client(session());
  const auto dbtrace = func({"dispatch_command"});
  for (int i = 0; i < 500; ++i) client.query("SELECT " + std::to_string(i));
  for (int i = 0; i < 20; ++i) client.ping();
  EXPECT_EQ(dbtrace->stop(), 0);
  const auto calls = totals<uint64_t>(dbtrace->queries(), "calls");
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls.begin()->second, 520U);
  EXPECT_THAT(calls.begin()->first, ::testing::StartsWith("dispatch_command("));
}

TEST_P(RealServers, EveryCommandHasItsDuration) {
  Client client(session());
  const auto dbtrace = func({"dispatch_command", "--latency"});
  for (int i = 0; i < 200; ++i) client.query("SELECT 1");
  client.query("SELECT SLEEP(0.2)");
  client.error_of("SELECT nonsense");
  // The answer is here a moment before the call is over; when a session's next
  // one begins, it is.
  client.ping();
  EXPECT_EQ(dbtrace->stop(), 0);
  const std::vector<json> lines = dbtrace->queries();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0]["calls"], 203);
  EXPECT_GE(lines[0]["timed"], 202);
  EXPECT_GE(lines[0]["max_ns"], 200'000'000);
}

// The one-liner that people try first.
TEST_P(RealServers, TextsAreArguments) {
  Client client(session());
  const bool mariadb = GetParam() == Flavor::MariaDb;
  const auto dbtrace =
      func({"dispatch_command", "--args", mariadb ? "2:str,0:int" : "1+0:str:1+8,2:int"});
  for (int i = 0; i < 100; ++i) client.query("SELECT 'number " + std::to_string(i) + "'");
  EXPECT_EQ(dbtrace->stop(), 0);
  const std::vector<json> lines = dbtrace->queries();
  ASSERT_EQ(lines.size(), 100U);
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i]["args"][mariadb ? "2" : "1+0"], "SELECT 'number " + std::to_string(i) + "'");
    EXPECT_EQ(lines[i]["args"][mariadb ? "0" : "2"], 3);
  }
}

// The server works on with probes on thousands of functions and all their exits,
// and they go within moments.
TEST_P(RealServers, ThousandsOfFunctionsAtOnce) {
  Client client(session());
  client.query("CREATE DATABASE IF NOT EXISTS func");
  client.query("CREATE OR REPLACE VIEW func.v AS SELECT 1 AS one");
  const auto work = [&] {
    EXPECT_EQ(client.value("SELECT COUNT(*) FROM information_schema.tables WHERE table_name = 'v'"),
              "1");
    EXPECT_NE(client.error_of("SELECT nonsense FROM func.v"), 0U);
    EXPECT_EQ(client.value("SELECT one FROM func.v"), "1");
  };
  work();  // what is done only once is done
  ASSERT_EQ(changed_bytes_of_code(server_->pid()), 0U);
  const auto dbtrace = func({"*Item*", "*handler*", "--latency", "--max-functions", "100000"});
  EXPECT_GE(probes_in(dbtrace->errors()), 10'000U);
  for (int i = 0; i < 5; ++i) work();
  dbtrace->process().signal(SIGINT);
  EXPECT_EQ(dbtrace->wait(seconds(30)), 0);
  work();
  EXPECT_EQ(changed_bytes_of_code(server_->pid()), 0U);
  // Functions of the statements themselves are over when their results are there.
  std::vector<std::string> unfinished;
  size_t called = 0;
  for (const json& line : dbtrace->queries()) {
    ++called;
    if (line["calls"] != line["timed"]) unfinished.push_back(line["function"]);
  }
  EXPECT_GE(called, 50U);
  EXPECT_LE(unfinished.size(), called / 10) << json(unfinished);
}

}  // namespace
}  // namespace dbtrace::testing
