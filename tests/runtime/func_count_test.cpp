// Calls are counted exactly, of the right process, by the right thread.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/utsname.h>

#include <cstdio>
#include <fstream>
#include <map>

#include "tests/runtime/func_support.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Counts = std::map<std::string, uint64_t>;

Counts calls(const std::vector<json>& lines) { return totals<uint64_t>(lines, "calls"); }

const std::vector<std::string> kEverything = {"catches",   "passes_on",    "throws",
                                              "recursive", "jumps_away",   "target",
                                              "returns",   "hands_over",   "hands_over_by_pointer",
                                              "chooses",   "has_no_size",  "many_arguments",
                                              "loops",     "hands_over_if"};

class Counting : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(By, Counting, ::testing::Values("multi", "perf"),
                         [](const auto& each) { return std::string(each.param); });

TEST_P(Counting, IsExactWhateverTheFunctionsDo) {
  StubServer server(kThrowing);
  std::vector<std::string> arguments = kEverything;
  arguments.insert(arguments.end(), {"--attach", GetParam()});
  FuncRun run(arguments, server);
  EXPECT_EQ(calls(run.script()), (Counts{{"catches", 1000},
                                         {"passes_on", 1000},
                                         {"throws", 1000},
                                         {"recursive", 6000},
                                         {"jumps_away", 1000},
                                         {"target", 2500},
                                         {"returns", 60},
                                         {"hands_over", 1000},
                                         {"hands_over_if", 1000},
                                         {"hands_over_by_pointer", 1000},
                                         {"chooses", 1000},
                                         {"has_no_size", 1000},
                                         {"many_arguments", 4},
                                         // Rounds of a loop that jumps to the function's begin.
                                         {"loops", 3000}}));
  EXPECT_TRUE(server.process().running());
  EXPECT_THAT(run.errors(), HasSubstr("attached to 14 functions (14 probes)"));
  EXPECT_THAT(run.errors(), HasSubstr("20564 calls of 14 functions\n"));
}

TEST_P(Counting, IsOfOneProcessOnly) {
  StubServer server(kThrowing), other(kThrowing);
  FuncRun run({"throws", "--attach", GetParam()}, server);
  other.run_script();
  // A child of the process is another one.
  server.run_load();
  EXPECT_EQ(calls(run.script()), (Counts{{"throws", 1000}}));
}

TEST_P(Counting, IsOfEveryProcessOfAFile) {
  StubServer server(kThrowing);
  DbtraceProcess dbtrace({"func", "throws", "--format", "json", "--exe", stub_program(kThrowing),
                          "--attach", GetParam()});
  dbtrace.wait_until_attached();
  server.run_script();
  server.run_load();  // in a child
  StubServer later(kThrowing);
  later.run_script();
  EXPECT_EQ(dbtrace.stop(), 0);
  EXPECT_EQ(calls(dbtrace.queries()), (Counts{{"throws", 3000}}));
}

// A place that the kernel takes no probe on does not stand in the way of others.
TEST_P(Counting, IsOfWhatTheKernelTakes) {
  StubServer server(kThrowing);
  FuncRun run({"begins_with_avx", "throws", "catches", "--attach", GetParam()}, server);
  EXPECT_EQ(calls(run.script()), (Counts{{"throws", 1000}, {"catches", 1000}}));
  if (run.errors().find("attached to 3 functions") != std::string::npos)
    GTEST_SKIP() << "this kernel takes a probe on vmovdqu";
  EXPECT_THAT(run.errors(), HasSubstr("not probed: begins_with_avx: the kernel takes no probe on "
                                      "its first instruction\nattached to 2 functions"));
}

// Where the kernel can tell processes apart, others of the same file pay nothing.
TEST(CountingOfOneProcess, LeavesOthersAlone) {
  utsname kernel{};
  int major = 0, minor = 0;
  ASSERT_EQ(::uname(&kernel), 0);
  ASSERT_EQ(std::sscanf(kernel.release, "%d.%d", &major, &minor), 2);
  if (std::pair(major, minor) < std::pair(6, 10)) GTEST_SKIP() << "needs Linux 6.10";
  StubServer server(kThrowing), other(kThrowing);
  FuncRun run({"throws", "catches"}, server);
  EXPECT_EQ(changed_bytes_of_code(server.pid()), 2U);
  EXPECT_EQ(changed_bytes_of_code(other.pid()), 0U);
}

TEST(CountingInLibraries, IsOfOneProcess) {
  StubServer server(kThrowing);
  std::ifstream maps("/proc/" + server.pid_text() + "/maps");
  std::string library;
  for (std::string line; library.empty() && std::getline(maps, line);)
    if (line.find("/libc.so.6") != std::string::npos) library = line.substr(line.find('/'));
  ASSERT_NE(library, "");
  FuncRun run({"waitpid", "--exe", library}, server);
  server.run_load();
  const auto counted = calls(run.stop());
  ASSERT_EQ(counted.size(), 1U);
  EXPECT_EQ(counted.begin()->second, 1U);
}

TEST(CountingByThread, TellsWhoCalls) {
  StubServer server("suspending/mariadbd");
  FuncRun run({"dispatch_command", "--by-thread"}, server);
  const std::vector<json> lines = run.script();
  std::vector<uint64_t> counts;
  for (const json& line : lines) {
    if (line["span"] != "total") continue;
    counts.push_back(line["calls"]);
    EXPECT_EQ(line["pid"], server.pid());
    EXPECT_EQ(line["thread"], "mariadbd");
    if (line["calls"] == 5)
      EXPECT_EQ(line["tid"], server.pid());
    else
      EXPECT_NE(line["tid"], server.pid());
  }
  EXPECT_THAT(counts, ElementsAre(5, 1, 1));
}

TEST(Intervals, AddUpToTheTotal) {
  StubServer server(kThrowing);
  FuncRun run({"recursive", "returns", "--interval", "100ms"}, server);
  server.run_script();
  ASSERT_TRUE(run.dbtrace().wait_for_lines(1));  // an interval is over
  const size_t before = run.dbtrace().queries().size();
  server.run_script();
  ASSERT_TRUE(run.dbtrace().wait_for_lines(before + 1));
  const std::vector<json> lines = run.stop();
  Counts sums, intervals;
  uint64_t length = 0;
  for (const json& line : lines) {
    if (line["span"] != "interval") continue;
    sums[line["function"]] += line["calls"].get<uint64_t>();
    ++intervals[line["end"]];
    EXPECT_GE(line["length_ns"], 100'000'000);
    length += line["length_ns"].get<uint64_t>();
  }
  EXPECT_GT(intervals.size(), 1U);
  EXPECT_GT(length, 0U);
  const Counts total = calls(lines);
  EXPECT_EQ(total, (Counts{{"recursive", 12000}, {"returns", 120}}));
  for (const auto& [function, sum] : sums) EXPECT_LE(sum, total.at(function));
}

TEST(Text, ShowsATableASecondAndTheTotal) {
  StubServer server(kThrowing);
  DbtraceProcess dbtrace({"func", "throws", "-p", server.pid_text(), "--interval", "100ms"});
  dbtrace.wait_until_attached();
  server.run_script();
  EXPECT_EQ(dbtrace.stop(), 0);
  EXPECT_THAT(dbtrace.output(), HasSubstr("total ("));
  EXPECT_TRUE(dbtrace.output().ends_with("       1000  throws\n")) << dbtrace.output();
}

TEST(Ends, AfterTheDurationOrWithTheProcess) {
  StubServer server(kThrowing);
  DbtraceProcess timed({"func", "throws", "-p", server.pid_text(), "--duration", "200ms"});
  EXPECT_EQ(timed.wait(seconds(30)), 0);
  FuncRun run({"throws"}, server);
  server.process().signal(SIGTERM);
  EXPECT_EQ(run.dbtrace().wait(seconds(30)), 0);
  EXPECT_THAT(run.errors(), HasSubstr("process " + server.pid_text() + " has ended\n"));
}

}  // namespace
}  // namespace dbtrace::testing
