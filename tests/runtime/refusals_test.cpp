// Machines on which nothing can be traced: what dbtrace says of them, and what to do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runtime/built_files.h"
#include "tests/runtime/command.h"
#include "tests/runtime/long_lines.h"
#include "tests/runtime/stub_server.h"

namespace dbtrace::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// In a mount namespace in which this folder of the kernel's is an empty one.
DbtraceResult run_without(const std::string& folder, const std::vector<std::string>& arguments) {
  std::vector<std::string> all = {"/usr/bin/unshare",
                                  "--mount",
                                  "/bin/sh",
                                  "-c",
                                  "mount -t tmpfs none \"$0\" && exec \"$@\"",
                                  folder,
                                  kDbtrace};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run_command(all);
}

class WithoutTypeInformation : public ::testing::TestWithParam<std::string> {
 protected:
  StubServer server_{"com_data/renamed-server"};
};

INSTANTIATE_TEST_SUITE_P(Each, WithoutTypeInformation,
                         ::testing::Values("queries", "waits", "io", "histogram", "stacks", "top",
                                           "func"),
                         [](const auto& command) { return command.param; });

TEST_P(WithoutTypeInformation, CommandsAreRefused) {
  std::vector<std::string> arguments = {GetParam(), "-p", server_.pid_text()};
  if (GetParam() == "func") arguments.insert(arguments.begin() + 1, "dispatch_command");
  const DbtraceResult result = run_without("/sys/kernel/btf", arguments);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.output, "");
  EXPECT_THAT(result.errors,
              AllOf(HasSubstr("the kernel's type information (/sys/kernel/btf/vmlinux) is missing"),
                    HasSubstr("CONFIG_DEBUG_INFO_BTF")));
}

TEST(Refusals, OfADoctorWithoutTypeInformationSayWhy) {
  const StubServer server("com_data/renamed-server");
  const DbtraceResult result = run_without("/sys/kernel/btf", {"doctor", "-p", server.pid_text()});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(in_long_lines(result.output),
              AllOf(HasSubstr("missing   types"), HasSubstr("CONFIG_DEBUG_INFO_BTF"),
                    HasSubstr("queries does not work: types")));
}

// Only where tests/vm has locked a kernel down, which cannot be undone.
class LockedDown : public ::testing::Test {
 protected:
  void SetUp() override {
    if (read_file("/sys/kernel/security/lockdown").find("[confidentiality]") == std::string::npos)
      GTEST_SKIP() << "this kernel is not locked down";
  }
  StubServer server_{"com_data/renamed-server"};
};

TEST_F(LockedDown, CommandsAreRefused) {
  for (const char* command : {"queries", "waits", "stacks"}) {
    SCOPED_TRACE(command);
    const DbtraceResult result = run_dbtrace({command, "-p", server_.pid_text()});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.output, "");
    EXPECT_THAT(result.errors, AllOf(HasSubstr("lockdown=confidentiality"),
                                     HasSubstr("boot with lockdown=integrity")));
  }
}

TEST_F(LockedDown, DoctorSaysWhyAndWhatToDo) {
  const DbtraceResult result = run_dbtrace({"doctor", "-p", server_.pid_text()});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(in_long_lines(result.output),
              AllOf(HasSubstr("missing   lockdown          confidentiality"),
                    HasSubstr("boot with lockdown=integrity or without"),
                    HasSubstr("queries does not work: lockdown")));
}

}  // namespace
}  // namespace dbtrace::testing
