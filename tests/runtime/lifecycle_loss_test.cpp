// When more happens than can be shown: the server is never held up, what is lost
// is counted, what is shown is right, and dbtrace still ends when it is told to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <thread>

#include "tests/runtime/account.h"
#include "tests/runtime/dbtrace_process.h"
#include "tests/runtime/pipe.h"
#include "tests/runtime/probe_traces.h"
#include "tests/runtime/stub_server.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr const char* kStub = "com_data/renamed-server";

// A server, and dbtrace whose output nobody reads.
struct Stalled {
  explicit Stalled(const std::vector<std::string>& options = {}) {
    arguments.insert(arguments.end(), options.begin(), options.end());
    dbtrace = std::make_unique<DbtraceProcess>(arguments, pipe.write_end());
    pipe.close_write_end();
    dbtrace->wait_until_attached();
  }

  StubServer server{kStub};
  ProbeSites sites{server.pid()};
  Pipe pipe;
  std::vector<std::string> arguments = {"queries", "--format", "json", "-p", server.pid_text()};
  std::unique_ptr<DbtraceProcess> dbtrace;
};

void expect_everything_accounted_for(const Account& account, size_t load = StubServer::kLoad) {
  EXPECT_EQ(account.seen, load);
  EXPECT_EQ(account.shown + account.filtered + account.hidden + account.lost + account.surplus,
            account.seen);
}

class NobodyReads : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(AndThen, NobodyReads, ::testing::Values(SIGINT, SIGTERM, SIGHUP),
                         [](const auto& each) { return std::string(sigabbrev_np(each.param)); });

TEST_P(NobodyReads, TheServerRunsOnAndASignalEnds) {
  Stalled stalled({"--buffer", "1M"});
  stalled.server.run_load();
  EXPECT_TRUE(stalled.dbtrace->process().running());
  stalled.dbtrace->process().signal(GetParam());
  EXPECT_EQ(stalled.dbtrace->wait(seconds(60)), 0);
  EXPECT_TRUE(stalled.sites.all_clean());
  const Account account = Account::of(stalled.dbtrace->errors());
  expect_everything_accounted_for(account);
  EXPECT_GT(account.class_named("ring full"), 0U);
  // What was said to be shown can be read, and nothing else.
  const std::string text = stalled.pipe.read_all();
  EXPECT_TRUE(text.ends_with("}\n")) << text.substr(text.rfind('\n') + 1);
  EXPECT_EQ(account.shown, static_cast<uint64_t>(std::ranges::count(text, '\n')));
}

TEST(NobodyReads, TheDurationEnds) {
  Stalled stalled({"--duration", "3s"});
  stalled.server.run_load();
  EXPECT_EQ(stalled.dbtrace->wait(seconds(60)), 0);
  EXPECT_TRUE(stalled.sites.all_clean());
}

TEST(SmallBuffer, LosesButNeverMixesUp) {
  for (const char* mechanism : {"multi", "perf"}) {
    StubServer server(kStub);
    DbtraceProcess dbtrace({"queries", "--format", "json", "-p", server.pid_text(), "--buffer",
                            "4k", "--attach", mechanism});
    dbtrace.wait_until_attached();
    // Held up at the beginning, so that it must lose some; then as fast as it is.
    dbtrace.process().signal(SIGSTOP);
    server.start_load();
    std::this_thread::sleep_for(milliseconds(20));
    dbtrace.process().signal(SIGCONT);
    ASSERT_TRUE(wait_until([&] { return server.finished() == 1; }, seconds(60)));
    // Told when it happens, not only at the end.
    EXPECT_TRUE(wait_until(
        [&] {
          return dbtrace.errors().find(" lost: nothing is shown of them\n") != std::string::npos;
        },
        seconds(60)));
    EXPECT_EQ(dbtrace.stop(), 0);
    const Account account = Account::of(dbtrace.errors());
    expect_everything_accounted_for(account);
    EXPECT_GT(account.lost, 0U);
    EXPECT_EQ(account.class_named("ring full"), account.lost);
    EXPECT_THAT(dbtrace.errors(), HasSubstr("a larger --buffer helps"));

    // So is who reads the lines.
    EXPECT_EQ(losses_of(dbtrace.output()),
              (std::map<std::string, uint64_t>{{"ring full", account.lost}}));
    const std::vector<json> queries = dbtrace.queries();
    EXPECT_EQ(queries.size(), account.shown);
    EXPECT_GT(queries.size(), 0U);
    long last = -1;
    for (const json& query : queries) {
      const std::string text = query["query"];
      const long number = std::stol(text.substr(sizeof("SELECT ") - 1));
      ASSERT_EQ(text, "SELECT " + std::to_string(number) + ", '" + std::to_string(number) + "'");
      ASSERT_GT(number, last);
      ASSERT_EQ(query["query_length"], text.size());
      ASSERT_EQ(query["conn"], 201);
      ASSERT_EQ(query["rows_examined"], 30);
      last = number;
    }
  }
}

TEST(LargeBuffer, LosesNothing) {
  StubServer server(kStub);
  DbtraceProcess dbtrace({"queries", "--format", "json", "-p", server.pid_text(), "--match", "77",
                          "--buffer", "64M", "-o", "/dev/null"});
  dbtrace.wait_until_attached();
  server.run_load();
  EXPECT_EQ(dbtrace.stop(), 0);
  const Account account = Account::of(dbtrace.errors());
  expect_everything_accounted_for(account);
  EXPECT_EQ(account.lost, 0U);
  EXPECT_EQ(account.shown, 840U);
  EXPECT_EQ(account.filtered, StubServer::kLoad - account.shown);
}

// With nothing but defaults, at 50,000 queries a second.
TEST(DefaultBuffer, LosesNothing) {
  StubServer server(kStub, {}, {"steady"});
  DbtraceProcess dbtrace(
      {"queries", "--format", "json", "-p", server.pid_text(), "-o", "/dev/null"});
  dbtrace.wait_until_attached();
  const auto begin = std::chrono::steady_clock::now();
  server.run_load();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("  %.0f commands a second\n", StubServer::kSteadyLoad / took.count());
  EXPECT_EQ(dbtrace.stop(), 0);
  const Account account = Account::of(dbtrace.errors());
  expect_everything_accounted_for(account, StubServer::kSteadyLoad);
  EXPECT_EQ(account.lost, 0U) << dbtrace.errors();
  EXPECT_EQ(account.shown, StubServer::kSteadyLoad);
}

// A server that is busier than dbtrace can follow does not keep it from ending.
TEST(Flood, ASignalEnds) {
  StubServer server(kStub), another(kStub), third(kStub);
  DbtraceProcess dbtrace({"queries", "--format", "json", "--exe", stub_program(kStub), "-o",
                          "/dev/null", "--buffer", "1M"});
  dbtrace.wait_until_attached();
  for (StubServer* each : {&server, &another, &third}) each->start_load();
  dbtrace.process().signal(SIGINT);
  EXPECT_EQ(dbtrace.wait(seconds(60)), 0);
}

}  // namespace
}  // namespace dbtrace::testing
