// Every combination of programs is accepted by the kernel at hand: each kernel's
// verifier has its own opinion.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/runtime/dbtrace_process.h"
#include "tests/runtime/stub_server.h"

namespace dbtrace::testing {
namespace {

struct Loaded {
  std::string name;
  std::vector<std::string> arguments;
};

class Loads : public ::testing::TestWithParam<Loaded> {};

INSTANTIATE_TEST_SUITE_P(
    Each, Loads,
    ::testing::Values(
        Loaded{"Queries", {"queries"}},
        Loaded{"LongTexts", {"queries", "--max-text", "64k", "--rows-examined"}},
        Loaded{"ReportRunning", {"queries", "--report-running", "1s"}},
        Loaded{"Running", {"queries", "--running"}}, Loaded{"Budget", {"queries", "--budget"}},
        Loaded{"BudgetByPerfEvents", {"queries", "--budget", "--attach", "perf"}},
        Loaded{"BudgetBySystemCalls", {"queries", "--budget", "--file-io", "syscalls"}},
        Loaded{"BudgetWithoutFiles", {"queries", "--budget", "--file-io", "none"}},
        Loaded{"Waits", {"waits"}}, Loaded{"Io", {"io"}},
        Loaded{"IoList", {"io", "--slower-than", "1ms"}},
        Loaded{"Histogram", {"histogram", "--count-in", "kernel"}},
        Loaded{"HistogramWithBudgets", {"histogram", "--budget", "--count-in", "user"}},
        Loaded{"Top", {"top", "--batch"}}, Loaded{"Stacks", {"stacks"}},
        Loaded{"StacksOfWhatRuns", {"stacks", "--running"}},
        Loaded{"QueriesWithStacks", {"queries", "--stacks"}}, Loaded{"Func", {"func", "dispatch_command"}},
        Loaded{"FuncLatency", {"func", "dispatch_command", "--latency"}},
        Loaded{"FuncByThread", {"func", "dispatch_command", "--by-thread"}},
        Loaded{"FuncArguments", {"func", "dispatch_command", "--args", "0:int"}}),
    [](const auto& loaded) { return loaded.param.name; });

TEST_P(Loads, IntoThisKernel) {
  StubServer server("suspending/mariadbd");
  std::vector<std::string> arguments = GetParam().arguments;
  arguments.insert(arguments.end(), {"-p", server.pid_text(), "--duration", "100ms"});
  const DbtraceResult result = run_dbtrace(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
}

}  // namespace
}  // namespace dbtrace::testing
