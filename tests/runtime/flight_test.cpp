// `dbtrace record --keep-last` on a real server: nothing is written until something happens, and
// then it is what was there.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <thread>

#include "tests/runtime/client.h"
#include "tests/runtime/dbtrace_process.h"
#include "tests/runtime/recording.h"
#include "tests/runtime/servers.h"
#include "tests/runtime/temporary_folder.h"

namespace dbtrace::testing {
namespace {

class Flight : public ::testing::Test {
 protected:
  void start(const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {
        "record", "--keep-last", "5m", "-o", folder_.path(), "-p", std::to_string(server_.pid())};
    arguments.insert(arguments.end(), options.begin(), options.end());
    dbtrace_.emplace(arguments);
    dbtrace_->wait_until_attached();
  }
  bool says(const std::string& text) {
    return wait_until([&] { return dbtrace_->errors().find(text) != std::string::npos; },
                      std::chrono::seconds(60));
  }
  std::vector<std::string> files() {
    std::vector<std::string> all;
    for (const auto& file : std::filesystem::directory_iterator(folder_.path()))
      all.push_back(file.path());
    std::ranges::sort(all);
    return all;
  }

  Server& server_ = shared_server(Flavor::MariaDb);
  TemporaryFolder folder_;
  std::optional<DbtraceProcess> dbtrace_;
};

TEST_F(Flight, KeepsWhatWasBeforeASlowQuery) {
  start({"--on", "max > 1s", "--keep-after", "1s", "--literals"});
  Client client({.socket = server_.socket()});
  for (int i = 0; i < 500; ++i) client.query("select " + std::to_string(i) + " as n");
  EXPECT_TRUE(files().empty());
  client.query("select sleep(1.2)");
  client.query("select 'after'");
  ASSERT_TRUE(says("\nkept: ")) << dbtrace_->errors();
  const auto made = files();
  ASSERT_EQ(made.size(), 1U);
  EXPECT_EQ(asked(made[0], "select count(distinct text) from queries where text like '%as n'"),
            "500\n");
  EXPECT_EQ(asked(made[0],
                  "select count(*) from queries where text = 'select sleep(1.2)'"
                  " and duration_ns > 1200000000"),
            "1\n");
  EXPECT_EQ(asked(made[0], "select condition from incident"), "max > 1.00s\n");
  EXPECT_EQ(asked(made[0], "select pid from server"), std::to_string(server_.pid()) + "\n");
  // Other views read it, as every recording.
  const DbtraceResult seen =
      run_dbtrace({"queries", "--from", made[0], "--match", "sleep", "--format", "json"});
  EXPECT_EQ(seen.exit_code, 0) << seen.errors;
  EXPECT_EQ(parse_lines(seen.output).size(), 1U);
  EXPECT_EQ(dbtrace_->stop(), 0) << dbtrace_->errors();
  EXPECT_EQ(files(), made);
}

TEST_F(Flight, KeepsWhatRunsTooLongBeforeItEnds) {
  start({"--on", "running > 1s", "--keep-after", "0s"});
  Client before({.socket = server_.socket()}), stuck({.socket = server_.socket()});
  before.query("select 'before'");
  before.ping();  // the one before is told
  std::thread sleeper([&stuck] { EXPECT_EQ(stuck.error_of("select sleep(60)"), 1317U); });
  EXPECT_TRUE(says("\nkept: ")) << dbtrace_->errors();
  before.query("kill query " + std::to_string(stuck.connection_id()));
  sleeper.join();
  ASSERT_EQ(dbtrace_->stop(), 0) << dbtrace_->errors();
  const auto made = files();
  ASSERT_EQ(made.size(), 1U);
  EXPECT_EQ(asked(made[0], "select count(*) from queries where text like '%sleep%'"), "0\n");
  EXPECT_NE(asked(made[0], "select count(*) from queries where text = 'SELECT ?'"), "0\n");
  EXPECT_EQ(asked(made[0], "select condition from incident"), "running > 1.00s\n");
}

// What was to be written later is written at the end.
TEST_F(Flight, EndsWithItsFile) {
  start({"--on", "max > 500ms", "--keep-after", "1h"});
  Client client({.socket = server_.socket()});
  client.query("select sleep(0.6)");
  client.ping();
  ASSERT_TRUE(says("\nmax > 500ms: ")) << dbtrace_->errors();
  EXPECT_TRUE(files().empty());
  EXPECT_EQ(dbtrace_->stop(), 0) << dbtrace_->errors();
  EXPECT_TRUE(says("\nkept: ")) << dbtrace_->errors();
  const auto made = files();
  ASSERT_EQ(made.size(), 1U);
  EXPECT_EQ(asked(made[0], "select finished from recording"), "1\n");
}

TEST_F(Flight, NeedsAFolder) {
  const std::map<std::string, std::string> others = {
      {folder_.path() / "nosuch", "No such file or directory"}, {"/etc/passwd", "Not a directory"}};
  for (const auto& [output, reason] : others) {
    const DbtraceResult result = run_dbtrace({"record", "--keep-last", "5m", "--on", "max > 1s",
                                              "-o", output, "-p", std::to_string(server_.pid())});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.errors, "dbtrace: cannot write into " + output + ": " + reason +
                                 "\n  with --keep-last, -o names a folder\n");
  }
}

}  // namespace
}  // namespace dbtrace::testing
