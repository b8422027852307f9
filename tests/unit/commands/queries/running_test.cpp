// What is told of running commands, and how.
#include "src/commands/queries/running.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dbtrace::commands {
namespace {

using model::Query;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr uint64_t kSecond = 1'000'000'000;

Query query(uint64_t connection, uint64_t start_ns, uint64_t duration_ns = 0) {
  Query made;
  made.pid = 7;
  made.connection_id = connection;
  made.start_ns = start_ns;
  made.duration_ns = duration_ns;
  made.running = true;
  made.command = "Query";
  made.text_state = model::TextState::Present;
  made.text = "SELECT " + std::to_string(connection);
  made.text_length = made.text.size();
  return made;
}

TEST(OncePerCommand, LetsTheSameCommandThroughOnce) {
  OncePerCommand once;
  EXPECT_TRUE(once.is_new(query(1, 5 * kSecond)));
  EXPECT_TRUE(once.is_new(query(2, 5 * kSecond)));
  once.look_ended();
  // The wall clock is compared anew at each look, so starts differ a little.
  EXPECT_FALSE(once.is_new(query(1, 5 * kSecond + 900)));
  once.look_ended();
  EXPECT_FALSE(once.is_new(query(1, 5 * kSecond - 900)));
  once.look_ended();
  EXPECT_TRUE(once.is_new(query(1, 6 * kSecond)));
  EXPECT_TRUE(once.is_new(query(2, 5 * kSecond)));  // it was gone meanwhile
}

struct Made {
  std::unique_ptr<output::Sink> sink;
  RunningTable table;
  output::Format format;

  explicit Made(output::Format wanted, size_t width = 0) : format(wanted) {
    sink = output::make_sink({.format = wanted, .width = width, .mark_running = false});
  }
  std::string look(const std::vector<Query>& queries, size_t height = 0) {
    std::string out;
    for (const Query& each : queries) table.add(each);
    table.write(*sink, format, height, out);
    return out;
  }
};

TEST(RunningTable, HasTheLongestFirst) {
  Query unknown = query(9, 0);
  unknown.start_known = false;
  Made made(output::Format::Text);
  const std::string out = made.look(
      {query(1, 0, kSecond), query(2, 0, 3 * kSecond), unknown, query(3, 0, 2 * kSecond)});
  EXPECT_THAT(out, HasSubstr("  4 running\nTIME "));
  EXPECT_LT(out.find("SELECT 9"), out.find("SELECT 2"));
  EXPECT_LT(out.find("SELECT 2"), out.find("SELECT 3"));
  EXPECT_LT(out.find("SELECT 3"), out.find("SELECT 1"));
  EXPECT_TRUE(out.ends_with("SELECT 1\n\n")) << out;
  // Each look begins with nothing.
  EXPECT_THAT(made.look({}), HasSubstr("  0 running\n"));
}

TEST(RunningTable, FillsAScreenAndNoMore) {
  Made made(output::Format::Text, 80);
  const std::string out = made.look({query(1, 0, 3), query(2, 0, 2), query(3, 0, 1)}, 5);
  EXPECT_THAT(out, StartsWith("\x1b[H"));
  EXPECT_TRUE(out.ends_with("\x1b[J"));
  EXPECT_EQ(std::ranges::count(out, '\n'), 4);
  EXPECT_THAT(out, HasSubstr("SELECT 2\x1b[K\n"));
  EXPECT_EQ(out.find("SELECT 3"), std::string::npos);
}

TEST(RunningTable, IsObjectsInJson) {
  Query unknown = query(9, 0);
  unknown.start_known = false;
  unknown.command = {};
  Made made(output::Format::Json);
  const std::string out = made.look({query(1, 0, kSecond), unknown});
  EXPECT_THAT(out, StartsWith("{\"start\":null,\"duration_ns\":null,"));
  EXPECT_THAT(out, HasSubstr("\"command\":null"));
  EXPECT_THAT(out, HasSubstr("\"duration_ns\":1000000000"));
  EXPECT_THAT(out, HasSubstr("\"running\":true"));
  EXPECT_EQ(std::ranges::count(out, '\n'), 2);
}

TEST(Pace, NeverLooksWhenNothingIsWanted) {
  Pace idle = pace_of(RunningOptions{});
  EXPECT_FALSE(idle.due());
  Pace wanted =
      pace_of(RunningOptions{.show = true, .interval_ns = 3600 * kSecond, .report_ns = {}});
  EXPECT_TRUE(wanted.due());
  EXPECT_FALSE(wanted.due());
}

}  // namespace
}  // namespace dbtrace::commands
