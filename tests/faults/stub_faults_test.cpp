// Faults that a real server cannot be made to have, on stub servers; and starts with too little.
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <set>

#include "tests/faults/checks.h"
#include "tests/runtime/built_files.h"
#include "tests/runtime/command.h"
#include "tests/runtime/dbtrace_process.h"
#include "tests/runtime/stub_server.h"

namespace dbtrace::testing {
namespace {

constexpr const char* kCrowd = "crowd/mysqld";
constexpr size_t kCrowdSize = 10'000, kLeavers = 100;

struct Traced {
  explicit Traced(const std::vector<std::string>& options = {}) {
    std::vector<std::string> arguments = {"queries", "--format", "json", "-p", server.pid_text()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    dbtrace = std::make_unique<DbtraceProcess>(arguments);
    dbtrace->wait_until_attached();
    objects.emplace_back(dbtrace->process().pid());
  }
  Account finish() {
    EXPECT_EQ(dbtrace->stop(), 0) << dbtrace->errors();
    const Account account = Account::of(dbtrace->errors());
    expect_account(account, dbtrace->queries().size());
    expect_nothing_left(sites, objects);
    return account;
  }

  StubServer server{kCrowd};
  ProbeSites sites{server.pid()};
  std::unique_ptr<DbtraceProcess> dbtrace;
  std::vector<BpfObjects> objects;
};

TEST(Crowd, TenThousandCommandsInFlight) {
  Traced traced({"--buffer", "64M"});
  traced.server.run_script();
  const Account account = traced.finish();
  EXPECT_EQ(account.seen, kCrowdSize);
  EXPECT_EQ(account.lost, 0U) << traced.dbtrace->errors();
  std::set<uint64_t> connections;
  for (const nlohmann::json& line : traced.dbtrace->queries()) {
    const uint64_t connection = line.at("conn");
    EXPECT_EQ(line.at("query"), "SELECT " + std::to_string(connection));
    EXPECT_TRUE(connections.insert(connection).second) << line;
  }
  EXPECT_EQ(connections.size(), kCrowdSize);
}

// Their commands never end: none is told, and none is taken for another's.
TEST(Leavers, ThreadsThatEndInTheirCommand) {
  Traced traced;
  traced.server.run_load();
  traced.server.run_load();
  const Account account = traced.finish();
  EXPECT_EQ(account.seen, 0U);
  EXPECT_NE(traced.dbtrace->errors().find("; " + std::to_string(2 * kLeavers) + " still running"),
            std::string::npos)
      << traced.dbtrace->errors();
}

// With too few descriptors it works, or says why not.
class Starved : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Descriptors, Starved, ::testing::Values(4, 6, 8, 12, 16, 24, 32, 48),
                         [](const auto& most) { return std::to_string(most.param); });

TEST_P(Starved, WorksOrSaysWhyNot) {
  StubServer server(kCrowd);
  const ProbeSites sites(server.pid());
  const DbtraceResult result =
      run_command({"/usr/bin/prlimit", "--nofile=" + std::to_string(GetParam()), kDbtrace,
                   "queries", "-p", server.pid_text(), "--duration", "100ms"});
  EXPECT_TRUE(result.exit_code >= 0 && result.exit_code <= 2) << result.exit_code;
  EXPECT_NE(result.errors.find(result.exit_code == 0 ? "commands seen" : "Too many open files"),
            std::string::npos)
      << result.errors;
  std::printf("  %s", result.errors.c_str());
  EXPECT_TRUE(server.process().running());
  EXPECT_TRUE(sites.all_clean());
}

}  // namespace
}  // namespace dbtrace::testing
