// `dbtrace top` on a terminal: what its keys do, and that the terminal is as before when it
// ends, however it ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/runtime/built_files.h"
#include "tests/runtime/servers.h"
#include "tests/runtime/tmux.h"
#include "tests/runtime/top_load.h"

namespace dbtrace::testing {
namespace {

using ::testing::AnyOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* kSelect = "SELECT `colour` FROM";
constexpr const char* kUpdate = "UPDATE `goods` SET `co";

std::vector<std::string> top_command(const Server& server,
                                     const std::vector<std::string>& arguments = {}) {
  std::vector<std::string> command = {kDbtrace,     "top",  "-p", std::to_string(server.pid()),
                                      "--interval", "500ms"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

// Which line has it; -1: none.
int line_with(const std::vector<std::string>& screen, const std::string& text) {
  const auto line = std::ranges::find_if(screen, [&](const std::string& candidate) {
    return candidate.find(text) != std::string::npos;
  });
  return line == screen.end() ? -1 : static_cast<int>(line - screen.begin());
}

class TopScreen : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { make_shop(server()); }
  static Server& server() { return shared_server(Flavor::MariaDb); }

  void start(const std::vector<std::string>& arguments = {}) {
    tmux_.emplace(top_command(server(), arguments), 80, 24);
    ASSERT_TRUE(tmux_->wait_for(" queries/s, ")) << tmux_->text();
  }
  // Presses a key until the screen shows this: what is typed before is not lost, but what
  // it acts on (a row) may not be there yet.
  void press(const std::string& key, const std::string& expected) {
    tmux_->press(key);
    ASSERT_TRUE(tmux_->wait_for(expected)) << "after " << key << ":\n" << tmux_->text();
  }
  void expect_clean(int code) {
    EXPECT_EQ(tmux_->wait(), code);
    EXPECT_EQ(tmux_->changes(), "");
  }

  std::optional<Tmux> tmux_;
};

TEST_F(TopScreen, ShowsKindsOfALoad) {
  const Load load(server());
  start();
  ASSERT_TRUE(tmux_->wait_for(kUpdate)) << tmux_->text();
  ASSERT_TRUE(tmux_->wait_for(kSelect)) << tmux_->text();
  const std::vector<std::string> screen = tmux_->screen();
  ASSERT_THAT(screen, SizeIs(24));
  EXPECT_THAT(screen[0], HasSubstr(" 0 lost, "));
  EXPECT_THAT(screen[0], HasSubstr(": MariaDB "));
  EXPECT_THAT(screen[1], HasSubstr("kinds by time of the last "));
  EXPECT_THAT(screen[2], HasSubstr("P50    P95    P99 SHARE"));
  EXPECT_THAT(screen[23], HasSubstr("F1 kinds"));
  press("q", "commands seen: ");
  EXPECT_THAT(tmux_->text(), HasSubstr(" 0 lost"));
  expect_clean(0);
}

TEST_F(TopScreen, SortsAndKeepsTheSelectedRowInItsPlace) {
  const Load load(server());
  start();
  ASSERT_TRUE(tmux_->wait_for(kUpdate)) << tmux_->text();
  press("C", "kinds by rate");
  ASSERT_TRUE(wait_until([&] { return line_with(tmux_->screen(), kSelect) == 3; },
                         std::chrono::seconds(30)))
      << tmux_->text();
  press("Down", "> ");
  EXPECT_THAT(tmux_->screen()[3], StartsWith(">"));
  EXPECT_THAT(tmux_->screen()[3], HasSubstr(kSelect));
  // Many of another kind come, which would be the first: rows stay.
  const Load other(server(), "SELECT 1, 2", "SELECT 1, 2");
  ASSERT_TRUE(tmux_->wait_for("SELECT ?, ...")) << tmux_->text();
  EXPECT_THAT(tmux_->screen()[3], HasSubstr(kSelect));
  // Another order: the selection goes with its kind.
  press("X", "kinds by max");
  const std::vector<std::string> screen = tmux_->screen();
  const int row = line_with(screen, ">");
  ASSERT_GE(row, 3);
  EXPECT_THAT(screen[static_cast<size_t>(row)], HasSubstr(kSelect));
  press("q", "commands seen");
  expect_clean(0);
}

TEST_F(TopScreen, FiltersKindsAndOpensOne) {
  const Load load(server());
  start();
  ASSERT_TRUE(tmux_->wait_for(kUpdate)) << tmux_->text();
  press("/", "Type a part of the text");
  press("update `G", "/update `G_");
  ASSERT_TRUE(tmux_->wait_until_gone(kSelect)) << tmux_->text();
  EXPECT_GE(line_with(tmux_->screen(), kUpdate), 3);
  press("Enter", "F1 kinds");
  press("Enter", "One kind of the last ");
  ASSERT_TRUE(tmux_->wait_for("How long")) << tmux_->text();
  EXPECT_THAT(tmux_->text(), HasSubstr("UPDATE `goods` SET `colour` = IF ("));
  press("End", "UPDATE goods SET colour = IF(colour = 'x'");
  press("Escape", "kind by time");
  press("Escape", "/update");  // lets the row go
  tmux_->press("Escape");
  ASSERT_TRUE(tmux_->wait_for(kSelect)) << tmux_->text();
  press("q", "commands seen");
  expect_clean(0);
}

TEST_F(TopScreen, HasPagesForWhatRunsWaitsAndFiles) {
  const Load load(server());
  start();
  Client sleeper({.socket = server().socket(), .database = "shop"});
  sleeper.send("SELECT SLEEP(600)");
  press("F2", "SELECT SLEEP(600)");
  EXPECT_THAT(tmux_->screen()[1], HasSubstr(" running"));
  press("F3", "CAUSE ");
  ASSERT_TRUE(tmux_->wait_for("sleep ")) << tmux_->text();
  press("F4", "TABLE ");
  press("o", "of the whole run");
  ASSERT_TRUE(tmux_->wait_for("redo ")) << tmux_->text();
  press("F1", "kinds by time");
  press("2", "running");
  press("?", "rows stay where they are");
  press("q", "commands seen");
  expect_clean(0);
  Client({.socket = server().socket()}).query("KILL " + std::to_string(sleeper.connection_id()));
}

TEST_F(TopScreen, StandsStillWhilePaused) {
  const Load load(server());
  start();
  ASSERT_TRUE(tmux_->wait_for(kSelect)) << tmux_->text();
  press("p", "PAUSED");
  const std::string before = tmux_->text();
  std::this_thread::sleep_for(std::chrono::seconds(2));
  EXPECT_EQ(tmux_->text(), before);
  tmux_->press("p");
  ASSERT_TRUE(tmux_->wait_until_gone("PAUSED")) << tmux_->text();
  ASSERT_TRUE(wait_until([&] { return tmux_->screen()[0] != before.substr(0, before.find('\n')); },
                         std::chrono::seconds(30)));
  press("q", "commands seen");
  expect_clean(0);
}

TEST_F(TopScreen, FollowsTheTerminalsSize) {
  const Load load(server());
  start();
  ASSERT_TRUE(tmux_->wait_for(kSelect)) << tmux_->text();
  tmux_->resize(140, 40);
  ASSERT_TRUE(tmux_->wait_for("SELECT `colour` FROM `goods` WHERE `id` = ?")) << tmux_->text();
  EXPECT_THAT(tmux_->screen()[39], HasSubstr("F1 kinds"));
  tmux_->resize(40, 6);
  ASSERT_TRUE(wait_until(
      [&] { return tmux_->screen().size() == 6 && line_with(tmux_->screen(), "SELECT") == 3; },
      std::chrono::seconds(30)))
      << tmux_->text();
  EXPECT_THAT(tmux_->screen()[0], HasSubstr(" 0 lost,"));
  tmux_->resize(3, 1);
  tmux_->resize(80, 24);
  ASSERT_TRUE(tmux_->wait_for("F1 kinds")) << tmux_->text();
  press("q", "commands seen");
  expect_clean(0);
}

TEST_F(TopScreen, ObeysNoQuery) {
  const Load load(
      server(), "SELECT '\x1b[2J\x1b]0;pwned\x07', `colour` AS `\x1b[31m\xe6\xbc\xa2` FROM goods");
  start();
  tmux_->resize(140, 24);
  ASSERT_TRUE(tmux_->wait_for("`\\x1b[31m漢`")) << tmux_->text();
  press("Down", ">");
  const int row = line_with(tmux_->screen(), "\\x1b[3");
  for (int line = 3; line < row; ++line) tmux_->press("Down");
  tmux_->press("Enter");
  ASSERT_TRUE(tmux_->wait_for("One kind")) << tmux_->text();
  press("End", "\\x1b[2J\\x1b]0;pwned\\x07");
  EXPECT_THAT(tmux_->variable("pane_title"), Not(HasSubstr("pwned")));
  press("q", "commands seen");
  expect_clean(0);
}

TEST_F(TopScreen, LeavesTheTerminalCleanWhenASignalEndsIt) {
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    start();
    ASSERT_EQ(::kill(tmux_->program(), number), 0);
    expect_clean(0);
    EXPECT_THAT(tmux_->text(), HasSubstr("commands seen")) << number;
    tmux_.reset();
  }
}

TEST_F(TopScreen, LeavesTheTerminalCleanWhenItCrashes) {
  for (const int number : {SIGABRT, SIGSEGV}) {
    start();
    ASSERT_EQ(::kill(tmux_->program(), number), 0);
    expect_clean(128 + number);
    tmux_.reset();
  }
}

TEST_F(TopScreen, GivesTheTerminalToTheShellWhileItIsStopped) {
  const Load load(server());
  tmux_.emplace(std::vector<std::string>{"/bin/bash", "--norc", "-i"}, 80, 24);
  std::string command;
  for (const std::string& word : top_command(server())) command += word + " ";
  tmux_->press(command);
  press("Enter", kSelect);
  press("C-z", "Stopped");
  EXPECT_EQ(tmux_->variable("alternate_on"), "0");
  EXPECT_EQ(tmux_->variable("cursor_flag"), "1");
  tmux_->press("fg");
  press("Enter", kSelect);
  press("q", "commands seen");
  tmux_->press("exit");
  tmux_->press("Enter");
  expect_clean(0);
}

TEST(TopScreenOfItsOwnServer, EndsWithTheServer) {
  Server server({.flavor = Flavor::MariaDb});
  make_shop(server);
  auto load = std::make_unique<Load>(server);
  Tmux tmux(top_command(server), 80, 24);
  ASSERT_TRUE(tmux.wait_for(kSelect)) << tmux.text();
  server.kill();
  EXPECT_EQ(tmux.wait(), 0);
  EXPECT_EQ(tmux.changes(), "");
  EXPECT_THAT(tmux.text(), HasSubstr("has ended"));
  EXPECT_THAT(tmux.text(), HasSubstr("commands seen"));
}

TEST(TopScreenOfItsOwnServer, FollowsItsSuccessor) {
  Server server({.flavor = Flavor::MariaDb});
  Tmux tmux(top_command(server, {"--follow"}), 80, 24);
  ASSERT_TRUE(tmux.wait_for(" queries/s, ")) << tmux.text();
  server.stop();
  ASSERT_TRUE(tmux.wait_for("waiting for its successor")) << tmux.text();
  server.start();
  ASSERT_TRUE(tmux.wait_for("attached to ")) << tmux.text();
  EXPECT_THAT(tmux.text(), HasSubstr(std::to_string(server.pid())));
  make_shop(server);
  ASSERT_TRUE(tmux.wait_for("CREATE SCHEMA ")) << tmux.text();
  tmux.press("q");
  EXPECT_EQ(tmux.wait(), 0);
  EXPECT_EQ(tmux.changes(), "");
}

}  // namespace
}  // namespace dbtrace::testing
