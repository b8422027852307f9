// Every way in which tracing ends: in order, with an account, and with nothing
// left behind in the server or the kernel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <functional>

#include "tests/runtime/account.h"
#include "tests/runtime/dbtrace_process.h"
#include "tests/runtime/pipe.h"
#include "tests/runtime/probe_traces.h"
#include "tests/runtime/stub_server.h"

namespace dbtrace::testing {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr const char* kStub = "com_data/renamed-server";
constexpr uint64_t kShownOfScript = 11;

struct Scene {
  StubServer& server;
  DbtraceProcess& dbtrace;
  Pipe& pipe;
};

struct Ending {
  std::string name;
  std::vector<std::string> options;
  std::function<void(Scene&)> bring_about;
  bool server_lives = true;

  friend std::ostream& operator<<(std::ostream& out, const Ending& ending) {
    return out << ending.name;
  }
};

Ending by_signal(const std::string& name, int number) {
  return {name, {}, [number](Scene& scene) { scene.dbtrace.process().signal(number); }};
}

std::vector<Ending> endings() {
  return {
      by_signal("Interrupt", SIGINT),
      by_signal("Terminate", SIGTERM),
      by_signal("HangUp", SIGHUP),
      {"Duration", {"--duration", "3s"}, [](Scene&) {}},
      {"Limit", {"--limit", "2"}, [](Scene& scene) { scene.server.run_script(); }},
      {"ReaderGone", {}, [](Scene& scene) { scene.pipe.close_read_end(); }},
      {"ReaderGoneAfterALine",
       {},
       [](Scene& scene) {
         scene.server.run_script();
         EXPECT_TRUE(scene.pipe.read_byte());
         scene.pipe.close_read_end();
       }},
      {"ReaderGoneUnderLoad",
       {},
       [](Scene& scene) {
         scene.server.start_load();
         EXPECT_TRUE(scene.pipe.read_byte());
         scene.pipe.close_read_end();
       }},
      {"ServerTerminated", {}, [](Scene& scene) { scene.server.process().signal(SIGTERM); }, false},
      {"ServerKilled", {}, [](Scene& scene) { scene.server.process().signal(SIGKILL); }, false},
      {"ServerKilledUnderLoad",
       {"-o", "/dev/null"},
       [](Scene& scene) {
         scene.server.start_load();
         scene.server.process().signal(SIGKILL);
       },
       false},
  };
}

class Ends : public ::testing::TestWithParam<std::tuple<Ending, std::string>> {};

INSTANTIATE_TEST_SUITE_P(By, Ends,
                         ::testing::Combine(::testing::ValuesIn(endings()),
                                            ::testing::Values("multi", "perf")),
                         [](const auto& each) {
                           return std::get<0>(each.param).name + "_" + std::get<1>(each.param);
                         });

TEST_P(Ends, InOrderAndLeavesNothing) {
  const auto& [ending, mechanism] = GetParam();
  StubServer server(kStub);
  const ProbeSites sites(server.pid());
  Pipe pipe;
  std::vector<std::string> arguments = {"queries",         "--format", "json",   "-p",
                                        server.pid_text(), "--attach", mechanism};
  arguments.insert(arguments.end(), ending.options.begin(), ending.options.end());
  DbtraceProcess dbtrace(arguments, pipe.write_end());
  pipe.close_write_end();
  dbtrace.wait_until_attached();
  EXPECT_TRUE(sites.all_probed());
  const BpfObjects objects(dbtrace.process().pid());

  Scene scene{server, dbtrace, pipe};
  ending.bring_about(scene);
  EXPECT_EQ(dbtrace.wait(seconds(60)), 0) << dbtrace.errors();
  EXPECT_THAT(dbtrace.errors(), HasSubstr(" commands seen: "));
  if (ending.server_lives) {
    EXPECT_TRUE(sites.all_clean());
    server.run_script();
  }
  EXPECT_TRUE(wait_until([&] { return objects.all_gone(); }, seconds(60)));
}

// As when the owner of a file that is being looked at shortens it.
TEST(ShortenedFile, IsSaidAndEndsIt) {
  StubServer server(kStub);
  ProbeSites sites(server.pid());
  DbtraceProcess dbtrace({"queries", "-p", server.pid_text()});
  dbtrace.wait_until_attached();
  dbtrace.process().signal(SIGBUS);
  EXPECT_EQ(dbtrace.wait(seconds(60)), 1);
  EXPECT_THAT(dbtrace.errors(), HasSubstr("dbtrace: a file became shorter while it was read"));
  EXPECT_TRUE(wait_until([&] { return sites.all_clean(); }, seconds(60)));
}

TEST(Limit, ShowsAsManyAndAccountsForTheRest) {
  StubServer server(kStub);
  DbtraceProcess dbtrace({"queries", "--format", "json", "-p", server.pid_text(), "--limit", "2"});
  dbtrace.wait_until_attached();
  server.run_script();
  EXPECT_EQ(dbtrace.wait(), 0);
  EXPECT_EQ(dbtrace.queries().size(), 2U);
  const Account account = Account::of(dbtrace.errors());
  EXPECT_EQ(account.shown, 2U);
  EXPECT_EQ(account.shown + account.hidden + account.surplus, account.seen);
}

TEST(Duration, ShowsWhatCameUntilThen) {
  StubServer server(kStub);
  DbtraceProcess dbtrace(
      {"queries", "--format", "json", "-p", server.pid_text(), "--duration", "2s"});
  dbtrace.wait_until_attached();
  server.run_script();
  EXPECT_EQ(dbtrace.wait(), 0);
  EXPECT_EQ(dbtrace.queries().size(), kShownOfScript);
}

TEST(TwoServers, TheEndOfOneDoesNotEndTheOther) {
  StubServer one(kStub), other("raw_packet/mysqld");
  DbtraceProcess dbtrace(
      {"queries", "--format", "json", "-p", one.pid_text(), "-p", other.pid_text()});
  dbtrace.wait_until_attached();
  const pid_t pid = one.pid();
  one.run_script();
  one.process().signal(SIGKILL);
  const std::string ended = "server " + std::to_string(pid) + " has ended";
  EXPECT_TRUE(
      wait_until([&] { return dbtrace.errors().find(ended) != std::string::npos; }, seconds(60)));
  other.run_script();
  EXPECT_TRUE(dbtrace.wait_for_lines(kShownOfScript + 7));
  EXPECT_TRUE(dbtrace.process().running());
  other.process().signal(SIGTERM);
  EXPECT_EQ(dbtrace.wait(), 0);
  const auto queries = dbtrace.queries();
  EXPECT_EQ(queries.size(), kShownOfScript + 7);
  for (size_t i = 0; i < queries.size(); ++i)
    EXPECT_EQ(queries[i]["pid"], i < kShownOfScript ? pid : other.pid());
}

// SIGKILL leaves dbtrace no chance to tidy up: the kernel does it.
class Killed : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(By, Killed, ::testing::Values("multi", "perf"),
                         [](const auto& each) { return each.param; });

TEST_P(Killed, LeavesNothingAndCanStartAgain) {
  StubServer server(kStub);
  const ProbeSites sites(server.pid());
  const std::vector<std::string> arguments = {"queries",         "--format", "json",    "-p",
                                              server.pid_text(), "--attach", GetParam()};
  DbtraceProcess first(arguments);
  first.wait_until_attached();
  const BpfObjects objects(first.process().pid());
  server.start_load();
  EXPECT_TRUE(first.wait_for_lines(1));
  first.kill();
  EXPECT_TRUE(wait_until([&] { return sites.all_clean() && objects.all_gone(); }, seconds(60)));
  EXPECT_TRUE(wait_until([&] { return server.finished() == 1; }, seconds(60)));

  DbtraceProcess second(arguments);
  second.wait_until_attached();
  EXPECT_TRUE(sites.all_probed());
  server.run_script();
  EXPECT_EQ(second.stop(), 0);
  EXPECT_EQ(second.queries().size(), kShownOfScript);
  EXPECT_TRUE(sites.all_clean());
}

}  // namespace
}  // namespace dbtrace::testing
