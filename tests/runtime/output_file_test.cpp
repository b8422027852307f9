// Where output goes that is neither pipe nor terminal, and what happens when it
// cannot go there.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "symbols/unique.h"
#include "tests/runtime/account.h"
#include "tests/runtime/dbtrace_process.h"
#include "tests/runtime/probe_traces.h"
#include "tests/runtime/stub_server.h"

namespace dbtrace::testing {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr const char* kStub = "com_data/renamed-server";
constexpr size_t kShownOfScript = 11;

// Also where a file was there that everybody could read.
TEST(OutputFile, BecomesItsOwnersAlone) {
  StubServer server(kStub);
  TemporaryFolder folder;
  const fs::path path = folder.path() / "queries.json";
  std::ofstream(path) << "a text that is longer than what comes in its place\n";
  fs::permissions(path, fs::perms(0644));
  EXPECT_EQ(run_dbtrace({"queries", "-p", server.pid_text(), "-o", path, "--format", "json",
                         "--duration", "100ms"})
                .exit_code,
            0);
  EXPECT_EQ(fs::status(path).permissions(), fs::perms(0600));
  EXPECT_EQ(read_file(path), "");
}

// In a folder that everybody writes to, somebody may have made it before, to read what comes.
TEST(OutputFile, OfSomebodyElseIsRefused) {
  StubServer server(kStub);
  TemporaryFolder folder;
  const fs::path path = folder.path() / "queries.json";
  std::ofstream(path) << "theirs";
  fs::permissions(path, fs::perms(0666));
  constexpr uid_t kNobody = 65534;
  ASSERT_EQ(::chown(path.c_str(), kNobody, kNobody), 0);
  const DbtraceResult result = run_dbtrace({"queries", "-p", server.pid_text(), "-o", path});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, HasSubstr("it belongs to another user, who could read it"));
  EXPECT_EQ(read_file(path), "theirs");
}

TEST(OutputFile, IsItsOwnersAlone) {
  const mode_t before = ::umask(0);
  StubServer server(kStub);
  TemporaryFolder folder;
  const std::string path = folder.path() / "queries.json";
  DbtraceProcess dbtrace({"queries", "--format", "json", "-p", server.pid_text(), "-o", path});
  dbtrace.wait_until_attached();
  ::umask(before);
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600U);
  server.run_script();
  EXPECT_EQ(dbtrace.stop(), 0);
  const std::string text = read_file(path);
  EXPECT_EQ(static_cast<size_t>(std::ranges::count(text, '\n')), kShownOfScript);
  EXPECT_EQ(dbtrace.output(), "");
}

TEST(OutputFile, IsEmptiedFirst) {
  StubServer server(kStub);
  TemporaryFolder folder;
  const std::string path = folder.path() / "queries.json";
  for (int run = 0; run < 2; ++run) {
    DbtraceProcess dbtrace({"queries", "--format", "json", "-p", server.pid_text(), "-o", path});
    dbtrace.wait_until_attached();
    server.run_script();
    EXPECT_EQ(dbtrace.stop(), 0);
    const std::string text = read_file(path);
    EXPECT_EQ(static_cast<size_t>(std::ranges::count(text, '\n')), kShownOfScript);
  }
}

// A full disk is met at the first query, and ends the run.
class FullDisk : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(As, FullDisk, ::testing::Bool(), [](const auto& each) {
  return each.param ? "StandardOutput" : "OutputFile";
});

TEST_P(FullDisk, IsAFailureThatIsTold) {
  StubServer server(kStub);
  const ProbeSites sites(server.pid());
  const UniqueFd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  std::vector<std::string> arguments = {"queries", "--format", "json", "-p", server.pid_text()};
  if (!GetParam()) arguments.insert(arguments.end(), {"-o", "/dev/full"});
  DbtraceProcess dbtrace(arguments, GetParam() ? full.get() : -1);
  dbtrace.wait_until_attached();
  server.run_script();
  EXPECT_EQ(dbtrace.wait(seconds(60)), 1);
  EXPECT_THAT(dbtrace.errors(), HasSubstr("cannot write the output: No space left on device"));
  const Account account = Account::of(dbtrace.errors());
  EXPECT_EQ(account.shown, 0U);
  EXPECT_EQ(account.shown + account.hidden + account.surplus, account.seen);
  EXPECT_TRUE(sites.all_clean());
}

// What cannot be opened is told before anything is attached.
TEST(OutputFile, ThatCannotBeOpenedIsRefused) {
  StubServer server(kStub);
  TemporaryFolder folder;
  const std::string pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::vector<std::pair<std::string, std::string>> cases = {
      {folder.path() / "no-such-folder/file", "No such file or directory"},
      {folder.path(), "Is a directory"},
      {pipe, "nobody reads it"},
  };
  for (const auto& [path, reason] : cases) {
    const DbtraceResult result = run_dbtrace({"queries", "-p", server.pid_text(), "-o", path});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.errors, "dbtrace: cannot write " + path + ": " + reason + "\n");
  }
}

}  // namespace
}  // namespace dbtrace::testing
