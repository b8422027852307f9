// What dbtrace says that it costs, what it does when that is too much, and that a flood of
// queries does not make it grow.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <stdexcept>

#include "tests/runtime/account.h"
#include "tests/runtime/client.h"
#include "tests/runtime/dbtrace_process.h"
#include "tests/runtime/pipe.h"
#include "tests/runtime/probe_traces.h"
#include "tests/runtime/servers.h"
#include "tests/runtime/stub_server.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kStub = "com_data/renamed-server";
constexpr const char* kTooLittle = "0.001%";  // looking ten times a second costs more
constexpr int kTooDear = 3;

struct Told {
  double all = 0, programs = 0, traps = 0, own = 0;  // % of a core
  bool stopped = false;                              // before the end of the run
  uint64_t hits = 0;

  static Told of(const std::string& errors) {
    static const std::regex kLine(
        R"(cost: ([0-9.]+) % of a core(?: \([0-9.]+ % of what the server uses\))?: )"
        R"(([0-9.]+) % in BPF programs, at least ([0-9.]+) % in (\d+) probe hits?, )"
        R"(([0-9.]+) % in dbtrace(; the kernel's part in the first \d+ s)?\n)");
    std::smatch match;
    if (!std::regex_search(errors, match, kLine))
      throw std::runtime_error("nothing about cost in:\n" + errors);
    return {std::stod(match[1]), std::stod(match[2]), std::stod(match[3]),
            std::stod(match[5]), match[6].matched,    std::stoull(match[4])};
  }
};

TEST(Cost, HitsAreBeginsAndEnds) {
  for (const char* mechanism : {"multi", "perf"}) {
    StubServer server(kStub);
    DbtraceProcess dbtrace(
        {"queries", "-p", server.pid_text(), "-o", "/dev/null", "--attach", mechanism});
    dbtrace.wait_until_attached();
    server.run_load();
    ASSERT_EQ(dbtrace.stop(), 0);
    const Told told = Told::of(dbtrace.errors());
    // Begins and ends. A machine that takes more than ten seconds for that has some estimated.
    if (!told.stopped) {
      EXPECT_EQ(told.hits, 2 * StubServer::kLoad) << dbtrace.errors();
    }
    EXPECT_GT(told.hits, 0U);
    EXPECT_GT(told.programs, 0);
    EXPECT_GT(told.traps, 0);
    // Each is rounded.
    EXPECT_NEAR(told.all, told.programs + told.traps + told.own, 2);
  }
}

TEST(Cost, HitsAreTwoForACommandOfARealServer) {
  if (const auto why = why_unavailable(Flavor::MariaDb)) GTEST_SKIP() << *why;
  Server server({.flavor = Flavor::MariaDb});
  Client client({.socket = server.socket()});
  DbtraceProcess dbtrace({"queries", "-p", std::to_string(server.pid()), "-o", "/dev/null"});
  dbtrace.wait_until_attached();
  for (int i = 0; i < 500; ++i) client.query("select " + std::to_string(i));
  ASSERT_EQ(dbtrace.stop(), 0);
  const Account account = Account::of(dbtrace.errors());
  const Told told = Told::of(dbtrace.errors());
  EXPECT_GE(account.seen, 500U);
  if (!told.stopped) {
    EXPECT_EQ(told.hits, 2 * account.seen) << dbtrace.errors();
  }
}

TEST(Cost, OfNothingIsNoHit) {
  StubServer server(kStub);
  DbtraceProcess dbtrace({"queries", "-p", server.pid_text()});
  dbtrace.wait_until_attached();
  ASSERT_EQ(dbtrace.stop(), 0);
  EXPECT_EQ(Told::of(dbtrace.errors()).hits, 0U);
}

TEST(Cost, OfFunctionsIsOneHitACall) {
  StubServer server(kStub);
  DbtraceProcess dbtrace({"func", "dispatch_command", "-p", server.pid_text()});
  dbtrace.wait_until_attached();
  server.run_load();
  ASSERT_EQ(dbtrace.stop(), 0);
  const Told told = Told::of(dbtrace.errors());
  EXPECT_THAT(dbtrace.errors(), HasSubstr(std::to_string(StubServer::kLoad) + " calls of "));
  if (!told.stopped) {
    EXPECT_EQ(told.hits, StubServer::kLoad) << dbtrace.errors();
  }
}

// Commands whose only purpose is the first that would have to go.
TEST(MaxOverhead, EndsWhatNothingCanBeTakenFrom) {
  StubServer server(kStub);
  ProbeSites sites(server.pid());
  const std::vector<std::vector<std::string>> commands = {
      {"waits"}, {"io"}, {"func", "dispatch_command"}};
  for (std::vector<std::string> arguments : commands) {
    arguments.insert(arguments.end(), {"-p", server.pid_text(), "--max-overhead", kTooLittle});
    DbtraceProcess dbtrace(arguments);
    EXPECT_EQ(dbtrace.wait(seconds(120)), kTooDear) << dbtrace.errors();
    EXPECT_THAT(dbtrace.errors(), HasSubstr("it ends, as nothing is left to give up"));
    EXPECT_THAT(dbtrace.errors(), Not(HasSubstr("not measured since")));
    EXPECT_TRUE(sites.all_clean());
  }
}

// Nobody reads what it writes: the limit holds all the same.
TEST(MaxOverhead, IsKeptWhileTheOutputStalls) {
  StubServer server(kStub);
  ProbeSites sites(server.pid());
  const Pipe pipe;
  DbtraceProcess dbtrace(
      {"queries", "--budget", "-p", server.pid_text(), "--max-overhead", kTooLittle},
      pipe.write_end());
  dbtrace.wait_until_attached();
  while (dbtrace.process().running()) server.run_load();  // far more than a pipe holds
  EXPECT_EQ(dbtrace.wait(), kTooDear) << dbtrace.errors();
  EXPECT_TRUE(sites.all_clean());
}

TEST(MaxOverhead, GivesUpOneAfterTheOther) {
  StubServer server(kStub);
  ProbeSites sites(server.pid());
  DbtraceProcess dbtrace({"queries", "--stacks", "--format", "json", "-p", server.pid_text(),
                          "--max-overhead", kTooLittle});
  dbtrace.wait_until_attached();
  while (dbtrace.process().running()) server.run_script();
  EXPECT_EQ(dbtrace.wait(), kTooDear);
  EXPECT_TRUE(sites.all_clean());

  const std::string errors = dbtrace.errors();
  size_t at = 0;
  for (const char* said :
       {"no stacks from ", "no file operations from ", "no budgets and waits from ",
        "it ends, as nothing is left to give up",
        " commands seen: ", "cost: ", "not measured since ", ": stacks (--max-overhead)",
        ": file operations (--max-overhead)", ": budgets and waits (--max-overhead)"}) {
    at = errors.find(said, at);
    ASSERT_NE(at, std::string::npos) << said << " is missing, or not in its place:\n" << errors;
  }
  // What is not measured is not told, from some query on, and before that it is.
  const std::vector<json> queries = dbtrace.queries();
  const auto has_stacks = [](const json& query) { return query.contains("stacks"); };
  EXPECT_TRUE(std::ranges::is_partitioned(queries, has_stacks));
  EXPECT_TRUE(has_stacks(queries.front()));
  EXPECT_FALSE(has_stacks(queries.back()));
  for (const char* member : {"io", "budget"}) {
    const auto known = [&](const json& query) { return !query.at(member).is_null(); };
    EXPECT_TRUE(std::ranges::is_partitioned(queries, known)) << member;
    EXPECT_TRUE(known(queries.front())) << member;
    EXPECT_FALSE(known(queries.back())) << member;
  }
  const Account account = Account::of(errors);
  EXPECT_EQ(account.shown, queries.size());
  EXPECT_EQ(account.lost, 0U);
}

TEST(MaxOverhead, ThatIsEnoughChangesNothing) {
  StubServer server(kStub);
  DbtraceProcess dbtrace({"queries", "--budget", "--format", "json", "-p", server.pid_text(),
                          "--max-overhead", "100%", "--duration", "4s"});
  dbtrace.wait_until_attached();
  server.run_script();
  EXPECT_EQ(dbtrace.wait(), 0);
  EXPECT_THAT(dbtrace.errors(), Not(HasSubstr("--max-overhead")));
  for (const json& query : dbtrace.queries()) EXPECT_FALSE(query.at("budget").is_null());
}

TEST(MaxOverhead, IsAPercentage) {
  for (const char* wrong : {"0", "-1%", "101%", "2ms", "", "nan%"}) {
    const DbtraceResult result = run_dbtrace({"queries", "--max-overhead", wrong});
    EXPECT_EQ(result.exit_code, 2) << wrong;
    EXPECT_THAT(result.errors, HasSubstr("is no percentage")) << wrong;
  }
}

uint64_t peak_kilobytes(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string word; status >> word;)
    if (uint64_t kilobytes = 0; word == "VmHWM:" && status >> kilobytes) return kilobytes;
  throw std::runtime_error("no VmHWM");
}

class Flood : public ::testing::TestWithParam<std::vector<std::string>> {};
INSTANTIATE_TEST_SUITE_P(
    Of, Flood,
    ::testing::Values(std::vector<std::string>{"queries", "-o", "/dev/null"},
                      std::vector<std::string>{"histogram", "--count-in", "user"},
                      std::vector<std::string>{"top", "--batch", "--no-budget"}),
    [](const auto& each) { return each.param.front(); });

// What is there after a first load is there for any load.
TEST_P(Flood, DoesNotMakeItGrow) {
  constexpr uint64_t kRoom_kB = 8 * 1024;
  StubServer server(kStub);
  std::vector<std::string> arguments = GetParam();
  arguments.insert(arguments.end(), {"-p", server.pid_text()});
  DbtraceProcess dbtrace(arguments);
  dbtrace.wait_until_attached();
  server.run_load();
  const uint64_t after_one = peak_kilobytes(dbtrace.process().pid());
  for (int i = 0; i < 8; ++i) server.run_load();
  const uint64_t after_all = peak_kilobytes(dbtrace.process().pid());
  EXPECT_EQ(dbtrace.stop(), 0);
  EXPECT_LE(after_all, after_one + kRoom_kB);
  std::printf("  %lu kB after one load, %lu kB after nine\n", after_one, after_all);
}

}  // namespace
}  // namespace dbtrace::testing
