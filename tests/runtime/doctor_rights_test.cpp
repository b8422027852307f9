// What `dbtrace doctor` says without rights, and of servers that cannot be traced.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runtime/long_lines.h"
#include "tests/runtime/nobody.h"
#include "tests/runtime/stub_server.h"

namespace dbtrace::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class DoctorRights : public ::testing::Test {
 protected:
  DbtraceResult as_nobody(const std::string& capabilities) {
    return nobody_.run(capabilities, {"doctor", "-p", server_.pid_text()});
  }

  Nobody nobody_;
  StubServer server_{"com_data/renamed-server"};
};

TEST_F(DoctorRights, AreMissedByName) {
  const DbtraceResult result = as_nobody("-all");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.errors, "");
  EXPECT_THAT(in_long_lines(result.output),
              AllOf(HasSubstr("missing   capabilities      CAP_BPF and CAP_PERFMON missing"),
                    HasSubstr("missing   server            cannot look at process"),
                    HasSubstr("queries does not work: capabilities: CAP_BPF and CAP_PERFMON"),
                    // Where nothing can be tried, nothing is said.
                    Not(HasSubstr("scheduler"))));
}

TEST_F(DoctorRights, ToLookAtTheServerAreMissedToo) {
  const DbtraceResult result = as_nobody("-all,+bpf,+perfmon");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(
      result.output,
      AllOf(HasSubstr("degraded  capabilities      CAP_PERFMON, CAP_BPF; no CAP_SYS_PTRACE"),
            HasSubstr("missing   server            cannot look at process"),
            HasSubstr("queries does not work: server: cannot look at process")));
}

TEST_F(DoctorRights, ThatAreEnoughAreTakenForEnough) {
  const DbtraceResult result = as_nobody("-all,+bpf,+perfmon,+sys_ptrace");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(in_long_lines(result.output),
              AllOf(HasSubstr("ok        capabilities      CAP_SYS_PTRACE"),
                    HasSubstr("ok        programs"), HasSubstr("queries works")));
}

// Its name is a server's, its symbols are gone, and so is their file.
TEST(DoctorOfAStub, MissesTheSymbolsOfAStrippedServer) {
  TemporaryFolder folder;
  fs::copy_file(stub_program("raw_packet_split/mysqld"), folder.path() / "mysqld");
  const DbtraceResult result = run_dbtrace({"doctor", folder.path() / "mysqld"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(
      in_long_lines(result.output),
      AllOf(HasSubstr("degraded  symbols"), HasSubstr("no .symtab"),
            HasSubstr("missing   commands"), HasSubstr("has no function dispatch_command")));
}

TEST(DoctorOfAStub, FindsItByItsName) {
  const StubServer server("com_data/renamed-server");
  const DbtraceResult result = run_dbtrace({"doctor", "renamed-server"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(in_long_lines(result.output),
              AllOf(HasSubstr("MySQL 9.9.1-stub (pid " + server.pid_text()),
                    HasSubstr("user is not shown")));
}

}  // namespace
}  // namespace dbtrace::testing
