// `dbtrace top --from`: what a recording of a real server's load shows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/built_files.h"
#include "tests/runtime/client.h"
#include "tests/runtime/dbtrace_process.h"
#include "tests/runtime/servers.h"
#include "tests/runtime/temporary_folder.h"
#include "tests/runtime/tmux.h"
#include "tests/runtime/top_load.h"

namespace dbtrace::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kSelect = "SELECT `colour` FROM";

// Some seconds of a load, with a query that takes two of them.
class TopRecorded : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    Server& server = shared_server(Flavor::MariaDb);
    make_shop(server);
    folder_ = new TemporaryFolder;
    DbtraceProcess dbtrace({"record", "-o", file(), "-p", std::to_string(server.pid())});
    dbtrace.wait_until_attached();
    {
      const Load load(server);
      Client client({.socket = server.socket(), .database = "shop"});
      std::this_thread::sleep_for(std::chrono::seconds(2));
      client.query("SELECT SLEEP(2)");
      std::this_thread::sleep_for(std::chrono::seconds(1));
    }
    ASSERT_EQ(dbtrace.stop(), 0) << dbtrace.errors();
  }
  static void TearDownTestSuite() { delete folder_; }
  static std::string file() { return folder_->path() / "recording"; }

  static DbtraceResult top(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"top", "--from", file()});
    return run_dbtrace(arguments);
  }

  static inline TemporaryFolder* folder_ = nullptr;
};

size_t count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST_F(TopRecorded, CountsWhatHistogramCounts) {
  const DbtraceResult histogram = run_dbtrace({"histogram", "--from", file()});
  const DbtraceResult all = top({"--batch"});
  EXPECT_EQ(all.exit_code, 0);
  EXPECT_EQ(all.errors, histogram.errors);  // "recorded from … to …: … counted, … filtered"
  EXPECT_THAT(all.errors, HasSubstr(" counted, "));
  EXPECT_EQ(count(all.output, "of the whole run"), 1U);
  EXPECT_GE(count(all.output, "of the last 2.00s"), 2U);
  EXPECT_THAT(all.output, HasSubstr("SELECT `colour` FROM `goods` WHERE `id` = ?\n"));
  EXPECT_THAT(all.output, Not(HasSubstr("\x1b")));
}

TEST_F(TopRecorded, HasOtherPagesAndTimes) {
  EXPECT_THAT(top({"--batch", "--page", "waits"}).output, HasSubstr("\nsleep "));
  EXPECT_THAT(top({"--batch", "--page", "io"}).output, HasSubstr("redo "));
  const DbtraceResult one =
      top({"--batch", "--at", "3s", "--interval", "1s", "--limit", "1", "--page", "running"});
  EXPECT_EQ(count(one.output, "Recorded "), 1U) << one.errors;
  const DbtraceResult running = top({"--batch", "--interval", "200ms", "--page", "running"});
  EXPECT_THAT(running.output, HasSubstr("SELECT `SLEEP` (?)"));
}

TEST_F(TopRecorded, RefusesWhatARecordingCannotDo) {
  DbtraceResult result = top({"--batch", "--at", "10h"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("10h is not within the recording"));
  result = top({"--batch", "-p", "1"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("--from excludes"));
  result = run_dbtrace({"top", "--at", "1s"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("--at requires --from"));
}

TEST_F(TopRecorded, HasAClockThatKeysMove) {
  Tmux tmux({kDbtrace, "top", "--from", file(), "--interval", "500ms"}, 100, 24);
  const auto press = [&](const std::string& key, const std::string& expected) {
    tmux.press(key);
    ASSERT_TRUE(tmux.wait_for(expected)) << "after " << key << ":\n" << tmux.text();
  };
  ASSERT_TRUE(tmux.wait_for("PAUSED")) << tmux.text();
  EXPECT_THAT(tmux.screen()[0], HasSubstr("Recorded "));
  EXPECT_THAT(tmux.screen()[0], HasSubstr(" 500ms of "));
  EXPECT_THAT(tmux.screen()[23], HasSubstr("Space play"));
  const std::string first = tmux.text();
  press("Right", " 1.00s of ");
  press(".", " 1.50s of ");
  const std::string third = tmux.text();
  press(".", " 2.00s of ");
  press("Left", " 1.50s of ");
  EXPECT_EQ(tmux.text(), third);
  EXPECT_THAT(third, HasSubstr(kSelect));
  tmux.press(">");
  ASSERT_TRUE(tmux.wait_until_gone(" 1.50s of ")) << tmux.text();
  press("<", " 500ms of ");
  EXPECT_EQ(tmux.text(), first);
  // It plays to the end, and stands there.
  tmux.press("Space");
  ASSERT_TRUE(tmux.wait_until_gone("PAUSED")) << tmux.text();
  ASSERT_TRUE(tmux.wait_for("PAUSED")) << tmux.text();
  press("F3", "CAUSE ");
  press("o", "of the whole run");
  ASSERT_TRUE(tmux.wait_for("sleep ")) << tmux.text();
  press("q", "recorded from ");
  EXPECT_EQ(tmux.wait(), 0);
  EXPECT_EQ(tmux.changes(), "");
}

}  // namespace
}  // namespace dbtrace::testing
