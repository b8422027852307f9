// What is wrong with a command line, a pattern or the user's rights: 1 failed or
// nothing found, 2 usage or no program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runtime/func_support.h"

namespace dbtrace::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Mistake {
  std::string name;
  std::vector<std::string> arguments;  // behind "func"; "PID" is the stub's
  int exit_code;
  std::vector<std::string> says;
};

class FuncUsage : public ::testing::TestWithParam<Mistake> {};

INSTANTIATE_TEST_SUITE_P(
    Mistakes, FuncUsage,
    ::testing::Values(
        Mistake{"NoPattern", {"-p", "PID"}, 2, {"PATTERN is required"}},
        Mistake{"BadPattern", {"/a(b/", "-p", "PID"}, 2, {"regular expression"}},
        Mistake{"NothingMatches",
                {"catchess", "-p", "PID"},
                1,
                {"defines no function 'catchess'", "did you mean catches", "--where"}},
        Mistake{"LivesElsewhere",
                {"waitpid", "-p", "PID"},
                1,
                {"waitpid is only used here", "libc.so.6"}},
        Mistake{"NotProbed",
                {"locked", "-p", "PID"},
                1,
                {"nothing that matches can be probed", "locked: its first instruction"}},
        Mistake{"TooMany",
                {"*", "-p", "PID", "--max-functions", "3"},
                1,
                {"functions match, and at most 3 are probed at once", "--max-functions"}},
        Mistake{
            "TooManyForPerfEvents",
            {"*", "--exe", "/usr/sbin/mariadbd", "--attach", "perf", "--max-functions", "100000"},
            1,
            {"without uprobe_multi, 100 are the most", "Linux 6.6"}},
        Mistake{"NoProcess", {"throws", "-p", "2147483647"}, 2, {"no process 2147483647"}},
        Mistake{"NoFile", {"throws", "--exe", "/no/such"}, 1, {"cannot open /no/such"}},
        Mistake{"ArgumentWithoutType",
                {"throws", "--args", "2", "-p", "PID"},
                2,
                {"'2' is no argument to show", "counted from 0"}},
        Mistake{"TooManyArguments",
                {"throws", "--args", "0:int,1:int,2:int,3:int,4:int,5:int,6:int,7:int,8:int"},
                2,
                {"9 arguments are too many: 8 can be shown"}},
        Mistake{"ArgumentsAndLatency",
                {"throws", "--args", "0:int", "--latency"},
                2,
                {"--latency excludes --args"}},
        Mistake{"LatencyByThread",
                {"throws", "--by-thread", "--latency"},
                2,
                {"--latency excludes --by-thread"}},
        Mistake{
            "Interval", {"throws", "--interval", "1ms"}, 2, {"--interval: 1ms is out of range"}},
        Mistake{"Format", {"throws", "--format", "xml"}, 2, {"'xml' is none of text, json"}}),
    [](const auto& each) { return each.param.name; });

TEST_P(FuncUsage, IsExplained) {
  StubServer server(kThrowing);
  std::vector<std::string> arguments = {"func"};
  for (const std::string& argument : GetParam().arguments)
    arguments.push_back(argument == "PID" ? server.pid_text() : argument);
  const DbtraceResult result = run_dbtrace(arguments);
  EXPECT_EQ(result.exit_code, GetParam().exit_code) << result.errors;
  EXPECT_EQ(result.output, "");
  for (const std::string& part : GetParam().says) EXPECT_THAT(result.errors, HasSubstr(part));
}

TEST(FuncUsage, OnePatternOfSeveralMayFindNothing) {
  StubServer server(kThrowing);
  FuncRun run({"nonsense", "throws"}, server);
  EXPECT_EQ((totals<uint64_t>(run.script(), "calls")),
            (std::map<std::string, uint64_t>{{"throws", 1000}}));
  EXPECT_THAT(run.errors(), HasSubstr("defines no function 'nonsense'"));
}

TEST(FuncUsage, HelpShowsWhatToType) {
  const DbtraceResult result = run_dbtrace({"func", "--help"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr("dbtrace func dispatch_command --args 2:str"));
}

}  // namespace
}  // namespace dbtrace::testing
