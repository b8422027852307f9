// What is wrong with a command line, a target or the user's rights, and the exit
// status that says so: 1 failed, 2 usage or no target.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/runtime/dbtrace_process.h"
#include "tests/runtime/nobody.h"
#include "tests/runtime/stub_server.h"

namespace dbtrace::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct Mistake {
  std::string name;
  std::vector<std::string> arguments;  // behind "queries"; "PID" is a server's
  std::vector<std::string> says;
};

class Usage : public ::testing::TestWithParam<Mistake> {};

INSTANTIATE_TEST_SUITE_P(
    Mistakes, Usage,
    ::testing::Values(
        Mistake{"PidZero", {"-p", "0"}, {"--pid: '0' is not a whole number from 1 to 2147483647"}},
        Mistake{"PidNegative", {"-p", "-5"}, {"--pid: '-5' is not a whole number"}},
        Mistake{"PidText", {"-p", "mysqld"}, {"--pid: 'mysqld' is not a whole number"}},
        Mistake{"PidBeyond32Bits", {"-p", "4294967297"}, {"--pid: '4294967297' is not a whole"}},
        Mistake{"PidBeyond64Bits", {"-p", "99999999999999999999"}, {"is not a whole number"}},
        Mistake{"PidOfNobody",
                {"-p", "2147483647"},
                {"dbtrace: there is no process 2147483647\n", "without -p lists the servers"}},
        Mistake{"PidOfTheKernel", {"-p", "2"}, {"process 2 runs no program"}},
        Mistake{"PidAndExe", {"-p", "PID", "--exe", "/bin/ls"}, {"--pid excludes --exe"}},
        Mistake{"ExplainAndOutput",
                {"-p", "PID", "--explain", "-o", "/dev/null"},
                {"--explain excludes --output"}},
        Mistake{"CommandAndAllCommands",
                {"-p", "PID", "--command", "query", "--all-commands"},
                {"--command excludes --all-commands"}},
        Mistake{"ExeIsAFolder", {"--exe", "/usr"}, {"dbtrace: /usr is not a regular file"}},
        Mistake{"ExeIsADevice", {"--exe", "/dev/zero"}, {"/dev/zero is not a regular file"}},
        Mistake{"ExeIsText", {"--exe", "/etc/passwd"}, {"/etc/passwd is not an ELF file"}},
        Mistake{"ExeIsNotThere",
                {"--exe", "/no/such/file"},
                {"cannot open /no/such/file: No such file or directory"}},
        Mistake{"ExeIsNoServer",
                {"--exe", "/bin/ls"},
                {"/bin/ls is not a database server that dbtrace knows", "looked for MariaDB",
                 "MySQL", "dispatch_command"}},
        Mistake{"Regex",
                {"-p", "PID", "--match", "a(b"},
                {"invalid regular expression 'a(b'", "missing )", "RE2"}},
        Mistake{"DurationWithoutUnit",
                {"-p", "PID", "--duration", "10"},
                {"--duration: '10' is not a duration: write it as 10ms, 1.5s, 2m or 1h"}},
        Mistake{"DurationOfNothing", {"-p", "PID", "--duration", "0s"}, {"must be at least 1ns"}},
        Mistake{"SlowerThanText",
                {"-p", "PID", "--slower-than", "slow"},
                {"--slower-than: 'slow' is not a duration"}},
        Mistake{"TextTooLong",
                {"-p", "PID", "--max-text", "65k"},
                {"--max-text: 65k is out of range: it must be from 1 to 65536"}},
        Mistake{"SizeWithWrongUnit",
                {"-p", "PID", "--max-text", "4q"},
                {"'4q' is not a size: write it as 4096, 64k or 8M"}},
        Mistake{"BufferNoPowerOfTwo",
                {"-p", "PID", "--buffer", "12k"},
                {"--buffer: 12288 bytes are not a power of two"}},
        Mistake{
            "BufferTooSmall", {"-p", "PID", "--buffer", "1k"}, {"--buffer: 1k is out of range"}},
        Mistake{"Format",
                {"-p", "PID", "--format", "xml"},
                {"--format: 'xml' is none of text, json, slowlog"}},
        Mistake{"Mechanism",
                {"-p", "PID", "--attach", "magic"},
                {"--attach: 'magic' is none of auto, multi, perf"}},
        Mistake{"Command",
                {"-p", "PID", "--command", "selct"},
                {"unknown command 'selct'", "known commands: ", "Query"}},
        Mistake{"Limit", {"-p", "PID", "--limit", "0"}, {"--limit: '0' is not a whole number"}},
        Mistake{"Connection", {"--conn", "x"}, {"--conn: 'x' is not a whole number"}},
        Mistake{"Unknown", {"--frobnicate"}, {"--frobnicate"}},
        Mistake{"MistypedOption",
                {"--slower-then", "10ms"},
                {"dbtrace: there is no option --slower-then; did you mean --slower-than?\n",
                 "see: dbtrace queries --help"}},
        Mistake{"Surplus", {"surplus"}, {"'surplus' was not expected"}}),
    [](const auto& each) { return each.param.name; });

TEST_P(Usage, IsExplained) {
  StubServer server("com_data/renamed-server");
  std::vector<std::string> arguments = {"queries"};
  for (const std::string& argument : GetParam().arguments)
    arguments.push_back(argument == "PID" ? server.pid_text() : argument);
  const DbtraceResult result = run_dbtrace(arguments);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.output, "");
  for (const std::string& part : GetParam().says) EXPECT_THAT(result.errors, HasSubstr(part));
}

TEST(Usage, MistypedCommandsAreRecognised) {
  const DbtraceResult mistyped = run_dbtrace({"querys"});
  EXPECT_EQ(mistyped.exit_code, 2);
  EXPECT_THAT(mistyped.errors, HasSubstr("there is no command querys; did you mean queries?"));
  const DbtraceResult none = run_dbtrace({});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.errors, HasSubstr("which command? queries, "));
}

TEST(Usage, PipesAreNoServers) {
  TemporaryFolder folder;
  const std::string pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const DbtraceResult result = run_dbtrace({"queries", "--exe", pipe});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.errors, "dbtrace: " + pipe + " is not a regular file\n");
}

TEST(Usage, ProcessesAreNoServersEither) {
  const std::string self = std::to_string(::getpid());
  const DbtraceResult result = run_dbtrace({"queries", "-p", self});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, AllOf(StartsWith("dbtrace: process " + self + " ("),
                                   HasSubstr("is not a database server"), HasSubstr("MariaDB")));
}

TEST(Usage, AFilesNameCannotDriveTheTerminal) {
  TemporaryFolder folder;
  const std::string path = folder.path() / "\x1b[31mred";
  const DbtraceResult result = run_dbtrace({"queries", "--exe", path});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("\\x1b[31mred"), Not(HasSubstr("\x1b"))));
}

TEST(Usage, HelpAndVersionAreNoMistakes) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--help"}, {"queries", "--help"}, {"--version"}}) {
    const DbtraceResult result = run_dbtrace(arguments);
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_THAT(result.output, HasSubstr("dbtrace"));
    EXPECT_EQ(result.errors, "");
  }
}

class Rights : public ::testing::Test {
 protected:
  Nobody nobody_;
  StubServer server_{"com_data/renamed-server"};
};

TEST_F(Rights, AreAskedForByName) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"-all", "not permitted to trace: CAP_BPF and CAP_PERFMON missing"},
      {"-all,+bpf", "not permitted to trace: CAP_PERFMON missing"},
      {"-all,+perfmon", "not permitted to trace: CAP_BPF missing"},
  };
  for (const auto& [capabilities, message] : cases) {
    for (const std::vector<std::string>& target :
         {std::vector<std::string>{}, {"-p", server_.pid_text()}}) {
      std::vector<std::string> arguments = {"queries"};
      arguments.insert(arguments.end(), target.begin(), target.end());
      const DbtraceResult result = nobody_.run(capabilities, arguments);
      EXPECT_EQ(result.exit_code, 1);
      EXPECT_THAT(result.errors, AllOf(HasSubstr(message), HasSubstr("sudo dbtrace")));
    }
  }
}

TEST_F(Rights, ToLookAtTheServerAreNamedToo) {
  const DbtraceResult result =
      nobody_.run("-all,+bpf,+perfmon", {"queries", "-p", server_.pid_text()});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("cannot look at process " + server_.pid_text() +
                                             ": Permission denied"),
                                   HasSubstr("CAP_SYS_PTRACE")));
}

TEST_F(Rights, ThatAreNamedAreEnough) {
  const DbtraceResult result = nobody_.run(
      "-all,+bpf,+perfmon,+sys_ptrace",
      {"queries", "-p", server_.pid_text(), "--attach", "multi", "--duration", "300ms"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("attached to MySQL"));
}

}  // namespace
}  // namespace dbtrace::testing
