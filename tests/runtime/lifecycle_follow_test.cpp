// A log that outlives its server: restarts, upgrades, and who is not meant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "tests/runtime/account.h"
#include "tests/runtime/dbtrace_process.h"
#include "tests/runtime/stub_server.h"

namespace dbtrace::testing {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

// What their scripts show.
constexpr size_t kShownOfComData = 11, kShownOfRawPacket = 7;

// Puts a copy of a stub at `path`, as an upgrade does: another file, at once.
void install(const std::string& stub, const fs::path& path) {
  const fs::path next = path.string() + ".new";
  fs::copy_file(stub_program(stub), next);
  fs::rename(next, path);
}

bool attaches(const DbtraceProcess& dbtrace, size_t times) {
  return wait_until(
      [&] {
        const std::string errors = dbtrace.errors();
        size_t count = 0;
        for (size_t at = errors.find("attached to "); at != std::string::npos;
             at = errors.find("attached to ", at + 1))
          ++count;
        return count >= times;
      },
      seconds(60));
}

std::map<pid_t, size_t> lines_by_process(const DbtraceProcess& dbtrace) {
  std::map<pid_t, size_t> lines;
  for (const auto& query : dbtrace.queries()) ++lines[query["pid"].get<pid_t>()];
  return lines;
}

// All of the account is there, whatever attachment it is from.
void expect_account(const DbtraceProcess& dbtrace, size_t shown) {
  const Account account = Account::of(dbtrace.errors());
  EXPECT_EQ(account.shown, shown);
  EXPECT_EQ(account.lost, 0u);
  EXPECT_EQ(account.seen, account.shown + account.filtered + account.hidden);
}

TEST(Follow, GoesOnWithTheUpgradedServer) {
  TemporaryFolder folder;
  const fs::path program = folder.path() / "server";
  install("com_data/renamed-server", program);
  auto first =
      std::make_unique<StubServer>(program, "", std::vector<std::string>{"--datadir=/one"});
  DbtraceProcess dbtrace({"queries", "--follow", "--format", "json", "-p", first->pid_text()});
  dbtrace.wait_until_attached();
  first->run_script();
  const pid_t first_pid = first->pid();

  install("raw_packet/mysqld", program);
  StubServer other(program, "", {"--datadir=/two"});
  first.reset();
  EXPECT_TRUE(wait_until(
      [&] {
        return dbtrace.errors().find("server " + std::to_string(first_pid) +
                                     " has ended; waiting for its successor\n") !=
               std::string::npos;
      },
      seconds(30)));
  other.run_script();
  StubServer second(program, "", {"--datadir=/one"});
  ASSERT_TRUE(attaches(dbtrace, 2)) << dbtrace.errors();
  second.run_script();
  other.run_script();

  EXPECT_EQ(dbtrace.stop(), 0);
  EXPECT_THAT(dbtrace.errors(), HasSubstr("attached to MySQL (pid " + second.pid_text()));
  EXPECT_EQ(
      lines_by_process(dbtrace),
      (std::map<pid_t, size_t>{{first_pid, kShownOfComData}, {second.pid(), kShownOfRawPacket}}));
  expect_account(dbtrace, kShownOfComData + kShownOfRawPacket);
}

TEST(Follow, OfOneServerLeavesTheOthersAlone) {
  TemporaryFolder folder;
  const fs::path program = folder.path() / "server";
  install("com_data/renamed-server", program);
  auto first =
      std::make_unique<StubServer>(program, "", std::vector<std::string>{"--datadir=/one"});
  StubServer stays("suspending/mariadbd");
  DbtraceProcess dbtrace(
      {"queries", "--follow", "--format", "json", "-p", first->pid_text(), "-p", stays.pid_text()});
  dbtrace.wait_until_attached();
  ASSERT_TRUE(attaches(dbtrace, 2));
  first.reset();
  StubServer second(program, "", {"--datadir=/one"});
  ASSERT_TRUE(attaches(dbtrace, 3)) << dbtrace.errors();
  second.run_script();
  stays.run_script();
  EXPECT_EQ(dbtrace.stop(), 0);
  const auto lines = lines_by_process(dbtrace);
  EXPECT_EQ(lines.at(second.pid()), kShownOfComData);
  EXPECT_GT(lines.at(stays.pid()), 0u);
  for (const auto& query : dbtrace.queries())
    EXPECT_EQ(query["flavor"], query["pid"] == stays.pid() ? "mariadb" : "mysql");
}

TEST(Follow, WaitsUntilItIsEnded) {
  auto server = std::make_unique<StubServer>("com_data/renamed-server");
  DbtraceProcess dbtrace({"queries", "--follow", "-p", server->pid_text()});
  dbtrace.wait_until_attached();
  server.reset();
  EXPECT_TRUE(wait_until(
      [&] { return dbtrace.errors().find("waiting for its successor") != std::string::npos; },
      seconds(30)));
  EXPECT_TRUE(dbtrace.process().running());
  EXPECT_EQ(dbtrace.stop(), 0);
  expect_account(dbtrace, 0);
}

// --exe means whatever runs at the path, also what was put there later.
TEST(Follow, OfAFileIsImplied) {
  TemporaryFolder folder;
  const fs::path program = folder.path() / "server";
  install("com_data/renamed-server", program);
  StubServer old(program);
  DbtraceProcess dbtrace({"queries", "--format", "json", "--exe", program});
  dbtrace.wait_until_attached();
  fs::copy_file(stub_program("no_dispatch/mysqld"), folder.path() / "next");
  fs::rename(folder.path() / "next", program);
  EXPECT_TRUE(wait_until(
      [&] { return dbtrace.errors().find("is not a database server") != std::string::npos; },
      seconds(30)));
  install("raw_packet/mysqld", program);
  ASSERT_TRUE(attaches(dbtrace, 2)) << dbtrace.errors();
  StubServer upgraded(program);
  upgraded.run_script();
  old.run_script();
  EXPECT_EQ(dbtrace.stop(), 0);
  EXPECT_EQ(
      lines_by_process(dbtrace),
      (std::map<pid_t, size_t>{{old.pid(), kShownOfComData}, {upgraded.pid(), kShownOfRawPacket}}));
  expect_account(dbtrace, kShownOfComData + kShownOfRawPacket);
}

}  // namespace
}  // namespace dbtrace::testing
