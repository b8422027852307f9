#include "src/commands/func/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "src/commands/func/counting.h"

namespace dbtrace::commands {
namespace {

using attach::FunctionNumbers;
using nlohmann::json;
using ::testing::HasSubstr;

attach::FunctionPlan plan_of(std::vector<std::string> names) {
  attach::FunctionPlan plan;
  for (std::string& name : names) {
    plan.functions.emplace_back();
    plan.functions.back().name = std::move(name);
  }
  return plan;
}

constexpr uint64_t kSecond = 1'000'000'000;
constexpr Span kInterval{false, 1'700'000'000 * kSecond + 5, kSecond};
constexpr Span kTotal{true, 1'700'000'000 * kSecond + 5, 90 * kSecond};

std::vector<json> json_lines(const std::string& text) {
  std::istringstream lines(text);
  std::vector<json> parsed;
  for (std::string line; std::getline(lines, line);) parsed.push_back(json::parse(line));
  return parsed;
}

// The lines below the heading, whose time is the local one.
std::string below_heading(const std::string& text) { return text.substr(text.find('\n') + 1); }

TEST(Counting, LeavesOutWhatWasNotCalledAndSorts) {
  const auto plan = plan_of({"seldom", "never", "often"});
  const auto rows = call_counts(plan, {{.calls = 1}, {}, {.calls = 5}});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].function->name, "often");
  EXPECT_EQ(rows[0].calls, 5U);
  EXPECT_EQ(rows[1].function->name, "seldom");
}

TEST(Counting, TellsWhatWasAdded) {
  Growth growth;
  EXPECT_EQ(growth.of(std::vector<FunctionNumbers>{{3, 2, 100}})[0].calls, 3U);
  const auto second = growth.of(std::vector<FunctionNumbers>{{10, 8, 700}})[0];
  EXPECT_EQ(second.calls, 7U);
  EXPECT_EQ(second.finished, 6U);
  EXPECT_EQ(second.total_ns, 600U);

  (void)growth.of(std::vector<attach::ThreadCalls>{{0, 1, 1, "a", 5}});
  const auto threads =
      growth.of(std::vector<attach::ThreadCalls>{{0, 1, 2, "b", 3}, {0, 1, 1, "a", 9}});
  EXPECT_EQ(threads[0].calls, 3U);
  EXPECT_EQ(threads[1].calls, 4U);

  model::Histogram before, after;
  before.add(10, 2);
  after = before;
  after.add(20);
  (void)growth.of(std::vector<model::Histogram>{before});
  const auto grown = growth.of(std::vector<model::Histogram>{after});
  EXPECT_EQ(grown[0].count(), 1U);
  EXPECT_EQ(grown[0].quantile(1), 20U);
}

TEST(Text, OfCounts) {
  auto plan = plan_of({"f(int)", "g()"});
  plan.functions[1].also = {"h()", "i()"};
  const std::vector<CallCount> rows = {{&plan.functions[0], 12345, nullptr},
                                       {&plan.functions[1], 7, nullptr}};
  std::string out;
  func_text()->counts(kTotal, rows, out);
  EXPECT_EQ(out, "total (90.0s)\n      12345  f(int)\n          7  g() (also h(), i())\n");
  out.clear();
  func_text()->counts(kInterval, {}, out);
  EXPECT_EQ(below_heading(out), "       none\n");
}

TEST(Text, OfCountsByThread) {
  const auto plan = plan_of({"f"});
  const attach::ThreadCalls thread{0, 11, 12, "conn\x1b[2J", 3};
  const std::vector<CallCount> rows = {{&plan.functions[0], 3, &thread}};
  std::string out;
  func_text()->counts(kTotal, rows, out);
  EXPECT_EQ(below_heading(out), "          3        12  conn\\x1b[2J         f\n");
}

TEST(Text, OfAnIntervalFitsTheScreen) {
  std::vector<std::string> names(30, std::string(200, 'n'));
  const auto plan = plan_of(names);
  std::vector<CallCount> rows;
  for (const auto& function : plan.functions) rows.push_back({&function, 1, nullptr});
  const auto text = func_text();
  text->set_width(80);
  std::string out;
  text->counts(kInterval, rows, out);
  EXPECT_EQ(std::ranges::count(out, '\n'), 22);
  EXPECT_THAT(out, HasSubstr("and 10 more"));
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);)
    EXPECT_LE(line.size(), 82U) << line;  // "…" is 3 bytes
  out.clear();
  text->counts(kTotal, rows, out);
  EXPECT_EQ(std::ranges::count(out, '\n'), 32);  // an empty line between the two
}

Durations measured(const attach::PlannedFunction& function) {
  Durations row{&function, {.calls = 5, .finished = 4, .total_ns = 2'000'000}, {}};
  row.histogram.add(1'000, 3);
  row.histogram.add(1'997'000);
  return row;
}

TEST(Text, OfDurations) {
  const auto plan = plan_of({"f"});
  const std::vector<Durations> rows = {measured(plan.functions[0])};
  std::string out;
  func_text()->durations(kTotal, rows, out);
  EXPECT_EQ(out,
            "total (90.0s)\n"
            "f\n"
            "  5 calls, 4 timed; 1 left by an exception or still running\n"
            "  mean 500µs  p50 999ns  p90 1.98ms  p99 1.98ms  p99.9 1.98ms  max 2.00ms\n"
            "    512ns –  1.02µs           3 |########################################|\n"
            "   1.02µs –  2.05µs           0 |                                        |\n"
            "                    …\n"
            "   1.05ms –  2.10ms           1 |#############                           |\n"
            "\n");
}

TEST(Text, OfCalls) {
  const auto plan = plan_of({"ns::f(int, char*)"});
  const std::vector<Argument> arguments = {*parse_argument("1:str"), *parse_argument("0:int")};
  const Call call{0, 0, 11, 12, {{.number = 1, .text = "two  words"}, {.number = 3}}};
  std::string out;
  func_text()->call(call, kInterval.end_ns + 123'456'789, plan.functions[0], arguments, out);
  EXPECT_THAT(out,
              ::testing::MatchesRegex("..:..:..\\.123456      12  ns::f  1=\"two words\" 0=3\n"));
}

TEST(Json, OfCounts) {
  auto plan = plan_of({"f(\"\x1b\")"});
  plan.functions[0].also = {"g"};
  const attach::ThreadCalls thread{0, 11, 12, "name", 3};
  std::string out;
  func_json()->counts(kInterval, std::vector<CallCount>{{&plan.functions[0], 3, &thread}}, out);
  func_json()->counts(kTotal, std::vector<CallCount>{{&plan.functions[0], 3, nullptr}}, out);
  const auto lines = json_lines(out);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0], (json{{"span", "interval"},
                            {"end", "2023-11-14T22:13:20.000000005Z"},
                            {"length_ns", kSecond},
                            {"function", "f(\"\x1b\")"},
                            {"also", {"g"}},
                            {"pid", 11},
                            {"tid", 12},
                            {"thread", "name"},
                            {"calls", 3}}));
  EXPECT_EQ(lines[1]["span"], "total");
  EXPECT_FALSE(lines[1].contains("tid"));
}

TEST(Json, OfDurations) {
  const auto plan = plan_of({"f", "g"});
  std::vector<Durations> rows = {measured(plan.functions[0])};
  rows.push_back({&plan.functions[1], {.calls = 1}, {}});
  std::string out;
  func_json()->durations(kTotal, rows, out);
  const auto lines = json_lines(out);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0]["calls"], 5);
  EXPECT_EQ(lines[0]["timed"], 4);
  EXPECT_EQ(lines[0]["mean_ns"], 500'000);
  EXPECT_EQ(lines[0]["buckets"], json::parse("[[992,1007,3],[1966080,1998847,1]]"));
  EXPECT_EQ(lines[1]["buckets"], json::array());
  for (const char* key : {"mean_ns", "p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns"})
    EXPECT_TRUE(lines[1][key].is_null()) << key;
}

TEST(Json, OfCalls) {
  const auto plan = plan_of({"f"});
  const std::vector<Argument> arguments = {*parse_argument("2:str"), *parse_argument("1+8:long"),
                                           *parse_argument("3:str")};
  const Call call{0,
                  0,
                  11,
                  12,
                  {{.number = 1, .text = "text", .cut = true},
                   {.number = static_cast<uint64_t>(-5)},
                   {.number = 16, .unreadable = true}}};
  std::string out;
  func_json()->call(call, kInterval.end_ns, plan.functions[0], arguments, out);
  EXPECT_EQ(json::parse(out), (json{{"time", "2023-11-14T22:13:20.000000005Z"},
                                    {"pid", 11},
                                    {"tid", 12},
                                    {"function", "f"},
                                    {"args", {{"2", "text"}, {"1+8", -5}, {"3", nullptr}}},
                                    {"unreadable", {"3"}},
                                    {"cut", {"2"}}}));
}

}  // namespace
}  // namespace dbtrace::commands
