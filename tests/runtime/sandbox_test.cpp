// What a running dbtrace has given up, as the kernel tells it, and what it reads of all the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "tests/runtime/dbtrace_process.h"
#include "tests/runtime/stub_server.h"

namespace dbtrace::testing {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

// /proc/PID/status of each thread, by the names of its lines.
std::vector<std::map<std::string, std::string>> statuses(pid_t pid) {
  std::vector<std::map<std::string, std::string>> all;
  for (const auto& thread : fs::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
    std::map<std::string, std::string>& values = all.emplace_back();
    std::istringstream lines(read_file(thread.path() / "status"));
    for (std::string line; std::getline(lines, line);)
      if (const size_t colon = line.find(':'); colon != line.npos && colon + 2 <= line.size())
        values[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return all;
}

struct Use {
  const char* name;
  std::vector<std::string> arguments;
  std::vector<int> capabilities;  // that are left to root
};

const std::string kRecording = std::filesystem::temp_directory_path() / "dbtrace-sandbox-test.dbt";

class Sandbox : public ::testing::TestWithParam<Use> {
 protected:
  void TearDown() override { std::filesystem::remove(kRecording); }

  StubServer server_{"com_data/renamed-server"};
};

const std::vector<int> kTwo = {CAP_BPF, CAP_SYS_PTRACE};
const std::vector<int> kProbing = {CAP_BPF, CAP_PERFMON, CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH};

INSTANTIATE_TEST_SUITE_P(
    Commands, Sandbox,
    ::testing::Values(
        Use{"Queries", {"queries"}, {CAP_BPF}}, Use{"Budget", {"queries", "--budget"}, {CAP_BPF}},
        Use{"Waits", {"waits"}, {CAP_BPF}}, Use{"Io", {"io"}, {CAP_BPF}},
        Use{"Histogram", {"histogram"}, {CAP_BPF}},
        Use{"Record", {"record", "-o", kRecording}, {CAP_BPF, CAP_DAC_OVERRIDE}},
        Use{"Serving", {"serve", "--listen", "127.0.0.1:0", "--attach", "multi"}, kProbing},
        Use{"Pushing",
            {"serve", "--listen", "127.0.0.1:0", "--attach", "multi", "--otlp",
             "http://127.0.0.1:9"},
            kProbing},
        Use{"Functions", {"func", "dispatch_command"}, {CAP_BPF}},
        Use{"Running", {"queries", "--report-running", "5s"}, kTwo},
        Use{"Top", {"top", "--batch"}, kTwo},
        Use{"Stacks",
            {"stacks"},
            {CAP_BPF, CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH, CAP_SYSLOG, CAP_CHECKPOINT_RESTORE}},
        Use{"Following_multi", {"queries", "--follow", "--attach", "multi"}, kProbing},
        Use{"Following_perf",
            {"queries", "--follow", "--attach", "perf"},
            {CAP_BPF, CAP_PERFMON, CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH, CAP_SYS_ADMIN}}),
    [](const auto& use) { return std::string(use.param.name); });

TEST_P(Sandbox, IsWhatAllThreadsAreIn) {
  std::vector<std::string> arguments = GetParam().arguments;
  arguments.insert(arguments.end(), {"-p", server_.pid_text()});
  DbtraceProcess dbtrace(arguments);
  dbtrace.wait_until_attached();
  const auto all_filtered = [&] {
    return std::ranges::all_of(statuses(dbtrace.process().pid()),
                               [](auto status) { return status["Seccomp"] == "2"; });
  };
  EXPECT_TRUE(wait_until(all_filtered, seconds(20)));
  uint64_t expected = 0;
  for (const int capability : GetParam().capabilities) expected |= uint64_t{1} << capability;
  for (auto& status : statuses(dbtrace.process().pid())) {
    EXPECT_EQ(status["NoNewPrivs"], "1");
    // A thread that only removes what was measured, or only sends, has none.
    const bool is_main = status["Pid"] == status["Tgid"];
    for (const char* set : {"CapPrm", "CapEff", "CapBnd"}) {
      const uint64_t has = std::stoull(status[set], nullptr, 16);
      EXPECT_TRUE(has == expected || (!is_main && has == 0)) << set << " " << has;
    }
    for (const char* set : {"CapInh", "CapAmb"})
      EXPECT_EQ(std::stoull(status[set], nullptr, 16), 0U) << set;
  }
  server_.run_script();
  EXPECT_EQ(dbtrace.stop(), 0) << dbtrace.errors();
}

}  // namespace
}  // namespace dbtrace::testing
