// What a person sees on a terminal, and that nothing on it can hold dbtrace up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <regex>
#include <sstream>

#include "tests/runtime/account.h"
#include "tests/runtime/built_files.h"
#include "tests/runtime/dbtrace_process.h"
#include "tests/runtime/probe_traces.h"
#include "tests/runtime/stub_server.h"
#include "tests/runtime/terminal.h"

namespace dbtrace::testing {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kHostile = "raw_packet/mysqld";
constexpr size_t kHostileTexts = 5;
constexpr const char* kBusy = "com_data/renamed-server";
constexpr char kEscape = '\x1b';

const std::regex& colour() {
  static const std::regex sequence("\x1b\\[[0-9;]*m");
  return sequence;
}

std::string without_colour(const std::string& text) {
  return std::regex_replace(text, colour(), "");
}

// Characters, not bytes; the stub's texts have no wide ones.
size_t columns(const std::string& line) {
  return static_cast<size_t>(
      std::ranges::count_if(line, [](char byte) { return (byte & 0xc0) != 0x80; }));
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) result.push_back(line);
  return result;
}

// From the heading down to the last query.
std::vector<std::string> table(const std::string& screen) {
  std::vector<std::string> rows;
  bool inside = false;
  for (const std::string& line : lines(without_colour(screen))) {
    inside = inside || line.starts_with("TIME ");
    if (inside && line.find("commands seen") != std::string::npos) break;
    if (inside && !line.empty() && !line.starts_with("^C")) rows.push_back(line);
  }
  return rows;
}

std::vector<std::string> on_terminal(StubServer& server, std::vector<std::string> before = {}) {
  before.insert(before.end(), {kDbtrace, "queries", "-p", server.pid_text()});
  return before;
}

class Screen : public ::testing::TestWithParam<unsigned short> {};
INSTANTIATE_TEST_SUITE_P(OfWidth, Screen, ::testing::Values(200, 120, 80, 70));

TEST_P(Screen, FitsItsLinesAndObeysNoQuery) {
  StubServer server(kHostile);
  Terminal terminal(on_terminal(server), GetParam());
  ASSERT_TRUE(terminal.wait_for("TIME", seconds(60))) << terminal.screen();
  server.run_load();
  ASSERT_TRUE(
      wait_until([&] { return table(terminal.screen()).size() == 1 + kHostileTexts; }, seconds(60)))
      << terminal.screen();
  terminal.type("\x03");
  EXPECT_EQ(terminal.process().wait(seconds(60)), 0);

  const std::string screen = terminal.screen();
  EXPECT_THAT(screen, HasSubstr("5 commands seen: 5 shown"));
  EXPECT_TRUE(std::regex_search(screen, colour())) << "colours on a terminal";
  const std::string plain = without_colour(screen);
  for (const char forbidden : {kEscape, '\a', '\b', '\t', '\x7f'})
    EXPECT_EQ(plain.find(forbidden), std::string::npos) << "byte " << static_cast<int>(forbidden);
  EXPECT_NO_THROW((void)nlohmann::json(plain).dump()) << "it is UTF-8";
  EXPECT_THAT(plain, Not(HasSubstr("\xc2\x9b")));
  EXPECT_THAT(plain, Not(HasSubstr("\xe2\x80\xae")));

  const std::vector<std::string> rows = table(screen);
  ASSERT_EQ(rows.size(), 1 + kHostileTexts);
  for (const std::string& row : rows) EXPECT_LE(columns(row), GetParam()) << row;
  EXPECT_TRUE(rows.back().ends_with("…")) << rows.back();
  EXPECT_EQ(columns(rows.back()), GetParam()) << rows.back();
  if (GetParam() >= 120) {
    EXPECT_THAT(rows[1], HasSubstr("SELECT 'title \\x1b]0;owned\\x07 and"));
    EXPECT_THAT(rows[2], HasSubstr("SELECT 'two' FROM lines"));
  }
}

TEST(Terminal, HasNoColourUnderNoColor) {
  StubServer server(kHostile);
  Terminal terminal(on_terminal(server, {"/usr/bin/env", "NO_COLOR=1"}), 100);
  ASSERT_TRUE(terminal.wait_for("TIME", seconds(60)));
  server.run_load();
  ASSERT_TRUE(terminal.wait_for("SELECT 'wide'", seconds(60))) << terminal.screen();
  terminal.type("\x03");
  EXPECT_EQ(terminal.process().wait(seconds(60)), 0);
  EXPECT_EQ(terminal.screen().find(kEscape), std::string::npos) << terminal.screen();
}

TEST(Terminal, IsFollowedInItsWidth) {
  StubServer server(kHostile);
  Terminal terminal(on_terminal(server), 150);
  ASSERT_TRUE(terminal.wait_for("TIME", seconds(60)));
  const auto shown = [&] { return table(terminal.screen()).size() - 1; };
  server.run_load();
  ASSERT_TRUE(wait_until([&] { return shown() == kHostileTexts; }, seconds(60)));
  terminal.resize(70);
  // The signal may come a little after the query that the test has dispatched.
  size_t expected = kHostileTexts;
  EXPECT_TRUE(wait_until(
      [&] {
        server.run_load();
        expected += kHostileTexts;
        EXPECT_TRUE(wait_until([&] { return shown() == expected; }, seconds(60)));
        return columns(table(terminal.screen()).back()) == 70;
      },
      seconds(60)));
  terminal.type("\x03");
  EXPECT_EQ(terminal.process().wait(seconds(60)), 0);
  EXPECT_EQ(columns(table(terminal.screen())[kHostileTexts]), 150U);
}

// Ctrl-S, or a connection that hangs: nobody takes what dbtrace prints.
struct Halt {
  std::string name;
  std::string keys;  // typed before the load
  int signal;
};
class HaltedTerminal : public ::testing::TestWithParam<Halt> {};
INSTANTIATE_TEST_SUITE_P(By, HaltedTerminal,
                         ::testing::Values(Halt{"NotReading", "", SIGTERM},
                                           Halt{"NotReadingInterrupt", "", SIGINT},
                                           Halt{"CtrlS", "\x13", SIGTERM},
                                           Halt{"CtrlSHangUp", "\x13", SIGHUP}),
                         [](const auto& each) { return each.param.name; });

TEST_P(HaltedTerminal, HoldsUpNeitherServerNorEnd) {
  StubServer server(kBusy);
  const ProbeSites sites(server.pid());
  Terminal terminal(on_terminal(server, {}), 200);
  ASSERT_TRUE(terminal.wait_for("TIME", seconds(60)));
  terminal.type(GetParam().keys);
  server.run_load();
  server.run_load();
  EXPECT_TRUE(terminal.process().running());
  terminal.process().signal(GetParam().signal);
  EXPECT_EQ(terminal.process().wait(seconds(60)), 0);
  EXPECT_TRUE(sites.all_clean());
}

TEST(Pipe, GetsWholeLinesWithoutColour) {
  StubServer server(kHostile);
  DbtraceProcess dbtrace({"queries", "-p", server.pid_text()});
  dbtrace.wait_until_attached();
  server.run_load();
  EXPECT_TRUE(dbtrace.wait_for_lines(1 + kHostileTexts));
  EXPECT_EQ(dbtrace.stop(), 0);
  const std::string output = dbtrace.output();
  EXPECT_EQ(output.find(kEscape), std::string::npos) << output;
  const std::vector<std::string> rows = lines(output);
  ASSERT_EQ(rows.size(), 1 + kHostileTexts);
  EXPECT_TRUE(rows.back().ends_with("SELECT 'wide'" + std::string(400 - 13, 'w'))) << rows.back();
}

}  // namespace
}  // namespace dbtrace::testing
