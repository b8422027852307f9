// Durations of functions that may be left in any way. The program lives, although
// exceptions are thrown through what is traced: under return probes it would end by
// std::terminate.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runtime/func_support.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using Counts = std::map<std::string, uint64_t>;

constexpr uint64_t kMicrosecond = 1'000, kMillisecond = 1'000'000;

class Latency : public ::testing::TestWithParam<const char*> {
 protected:
  std::vector<std::string> with_mechanism(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--latency", "--attach", GetParam()});
    return arguments;
  }
};
INSTANTIATE_TEST_SUITE_P(By, Latency, ::testing::Values("multi", "perf"),
                         [](const auto& each) { return std::string(each.param); });

TEST_P(Latency, PairsEveryEndWithItsBegin) {
  StubServer server(kThrowing);
  ASSERT_EQ(changed_bytes_of_code(server.pid()), 0U);
  FuncRun run(with_mechanism({"catches", "passes_on", "throws", "recursive", "target", "hands_over",
                              "hands_over_if", "hands_over_by_pointer", "chooses", "returns"}),
              server);
  // A breakpoint at every entry and exit, and nothing else. Two functions begin
  // with an exit: the end of such a call must be seen after its begin.
  EXPECT_EQ(changed_bytes_of_code(server.pid()), probes_in(run.errors()) - 2);
  const std::vector<json> lines = run.script();
  EXPECT_TRUE(server.process().running());
  EXPECT_EQ(server.finished(), 1U);
  const Counts calls = totals<uint64_t>(lines, "calls");
  EXPECT_EQ(calls, (Counts{{"catches", 1000},
                           {"passes_on", 1000},
                           {"throws", 1000},
                           {"recursive", 6000},
                           {"target", 2500},
                           {"hands_over", 1000},
                           {"hands_over_if", 1000},
                           {"hands_over_by_pointer", 1000},
                           {"chooses", 1000},
                           {"returns", 60}}));
  // Half of the calls of two of them end by an exception; nothing else is missing.
  Counts expected = calls;
  expected["passes_on"] = expected["throws"] = 500;
  EXPECT_EQ(totals<uint64_t>(lines, "timed"), expected);
  for (const json& line : lines) {
    uint64_t sum = 0;
    for (const json& bucket : line["buckets"]) sum += bucket[2].get<uint64_t>();
    EXPECT_EQ(sum, line["timed"]) << line;
  }
  EXPECT_EQ(changed_bytes_of_code(server.pid()), 0U);
}

// Not less than the functions are known to take.
TEST_P(Latency, IsWhatFunctionsTake) {
  StubServer server(kThrowing);
  FuncRun run(with_mechanism({"returns"}), server);
  const std::vector<json> lines = run.script();
  ASSERT_EQ(lines.size(), 1U);
  const json& line = lines[0];
  EXPECT_EQ(line["timed"], 60);
  uint64_t long_ones = 0;
  for (const json& bucket : line["buckets"]) {
    EXPECT_GE(bucket[1], 100 * kMicrosecond);
    if (bucket[1] >= 3 * kMillisecond) long_ones += bucket[2].get<uint64_t>();
  }
  EXPECT_GE(long_ones, 20U);
  EXPECT_GE(line["p50_ns"], 195 * kMicrosecond);
  EXPECT_GE(line["p90_ns"], 2'900 * kMicrosecond);
  EXPECT_GE(line["max_ns"], line["p999_ns"]);
  EXPECT_GE(line["mean_ns"], (100 + 200 + 3000) / 3 * kMicrosecond);
}

TEST(LatencyRefused, SaysWhyAndTakesTheRest) {
  StubServer server(kThrowing);
  FuncRun run({"throws", "loops", "has_no_size", "jumps_away", "locked", "--latency"}, server);
  const Counts calls = totals<uint64_t>(run.script(), "calls");
  EXPECT_EQ(calls, (Counts{{"throws", 1000}}));
  for (const char* line :
       {"not probed: loops: it jumps back to its begin",
        "not probed: has_no_size: its symbol has no size",
        "not probed: jumps_away: it never returns",
        "not probed: locked: its first instruction cannot be decoded or takes no probe",
        "attached to 1 function "})
    EXPECT_THAT(run.errors(), HasSubstr(line));
}

TEST(LatencyText, TellsWhatWasLeftByException) {
  StubServer server(kThrowing);
  DbtraceProcess dbtrace({"func", "throws", "-p", server.pid_text(), "--latency"});
  dbtrace.wait_until_attached();
  server.run_script();
  EXPECT_EQ(dbtrace.stop(), 0);
  EXPECT_THAT(dbtrace.output(),
              HasSubstr("throws\n  1000 calls, 500 timed; 500 left by an exception or still"));
  EXPECT_THAT(dbtrace.output(), HasSubstr("|########################################|"));
}

TEST(LatencyIntervals, AddUp) {
  StubServer server(kThrowing);
  FuncRun run({"returns", "--latency", "--interval", "100ms"}, server);
  server.run_script();
  server.run_script();
  uint64_t intervals = 0, total = 0;
  for (const json& line : run.stop())
    (line["span"] == "total" ? total : intervals) += line["timed"].get<uint64_t>();
  EXPECT_EQ(total, 120U);
  EXPECT_GT(intervals, 0U);
  EXPECT_LE(intervals, total);
}

}  // namespace
}  // namespace dbtrace::testing
