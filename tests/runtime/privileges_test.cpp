// docs/privileges.md: each set of capabilities there is enough for what it is said to be for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>

#include "tests/runtime/nobody.h"
#include "tests/runtime/stub_server.h"

namespace dbtrace::testing {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr const char* kTracing = "-all,+bpf,+perfmon,+sys_ptrace";
constexpr ptrdiff_t kCommandsOfScript = 11;  // that com_data's script has with text

struct Use {
  std::string name;
  std::vector<std::string> arguments;  // behind the command, before the server
};

class Privileges : public ::testing::TestWithParam<Use> {
 protected:
  Nobody nobody_;
  StubServer server_{"com_data/renamed-server"};
  TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Documented, Privileges,
                         ::testing::Values(Use{"Queries", {"queries"}},
                                           Use{"Budget", {"queries", "--budget"}},
                                           Use{"Running", {"queries", "--report-running", "5s"}},
                                           Use{"Stacks", {"queries", "--stacks"}}),
                         [](const ::testing::TestParamInfo<Use>& use) { return use.param.name; });

// Not only attached: told of all that the server did.
TEST_P(Privileges, OfTracingAreEnough) {
  std::vector<std::string> arguments = GetParam().arguments;
  arguments.insert(arguments.end(), {"-p", server_.pid_text(), "--format", "json"});
  ChildProcess process({.arguments = nobody_.command(kTracing, arguments),
                        .output = folder_.path() / "stdout",
                        .errors = folder_.path() / "stderr"});
  const auto output = [&] { return read_file(folder_.path() / "stdout"); };
  const auto errors = [&] { return read_file(folder_.path() / "stderr"); };
  ASSERT_TRUE(
      wait_until([&] { return errors().find("attached") != std::string::npos; }, seconds(30)))
      << errors();
  server_.run_script();
  EXPECT_TRUE(wait_until([&] { return std::ranges::count(output(), '\n') >= kCommandsOfScript; },
                         seconds(20)));
  process.signal(SIGINT);
  EXPECT_EQ(process.wait(seconds(30)), 0) << errors();
  EXPECT_EQ(std::ranges::count(output(), '\n'), kCommandsOfScript) << output();
  EXPECT_THAT(errors(), HasSubstr("11 shown, 0 filtered")) << errors();
  EXPECT_THAT(errors(), HasSubstr(", 0 lost"));
}

// Perf events take CAP_SYS_ADMIN, on kernels with the fix of CVE-2025-38466.
TEST(PrivilegesOfPerfEvents, AreMore) {
  const Nobody nobody;
  const StubServer server("com_data/renamed-server");
  const std::vector<std::string> arguments = {
      "queries", "-p", server.pid_text(), "--attach", "perf", "--duration", "300ms"};
  const DbtraceResult refused = nobody.run(kTracing, arguments);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.errors, HasSubstr("CAP_SYS_ADMIN"));
  const DbtraceResult allowed = nobody.run("-all,+sys_admin,+sys_ptrace", arguments);
  EXPECT_EQ(allowed.exit_code, 0) << allowed.errors;
}

}  // namespace
}  // namespace dbtrace::testing
