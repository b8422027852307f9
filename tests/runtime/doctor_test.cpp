// What `dbtrace doctor` says of the real servers is so, and its canary knows right from wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <optional>

#include "tests/runtime/client.h"
#include "tests/runtime/dbtrace_process.h"
#include "tests/runtime/long_lines.h"
#include "tests/runtime/postgres.h"
#include "tests/runtime/servers.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

using Arguments = std::vector<std::string>;

struct Another {
  pid_t pid;
  std::shared_ptr<void> server;  // ends with it
};

// A real server of any kind.
struct Subject {
  std::string name;
  std::optional<std::string> (*why_unavailable)();
  pid_t (*pid)();
  Arguments (*connection)();  // where its canary connects to
  Another (*start)();         // one more of its kind

  friend void PrintTo(const Subject& subject, std::ostream* out) { *out << subject.name; }
};

template <Flavor flavor>
Subject mysql_family(const char* name) {
  return {name, [] { return why_unavailable(flavor); }, [] { return shared_server(flavor).pid(); },
          [] {
            return Arguments{"--socket", shared_server(flavor).socket(), "--user", "root"};
          },
          [] {
            auto server = std::make_shared<Server>(ServerOptions{.flavor = flavor});
            return Another{server->pid(), server};
          }};
}

template <PostgresBuild build>
Subject postgres() {
  return {
      build_name(build), [] { return why_unavailable(build); },
      [] { return shared_postgres(build).pid(); },
      [] {
        return Arguments{"--socket", shared_postgres(build).socket_folder(), "--user", "postgres"};
      },
      [] {
        auto server = std::make_shared<Postgres>(build);
        return Another{server->pid(), server};
      }};
}

struct Diagnosis {
  DbtraceResult result;
  json report;

  // Subjects and what was found, of checks about `about` in this state.
  [[nodiscard]] std::map<std::string, std::string> checks(const std::string& about,
                                                          const std::string& state) const {
    std::map<std::string, std::string> found;
    for (const json& section : report.at("sections")) {
      if (section.at("about") != about) continue;
      for (const json& check : section.at("checks"))
        if (check.at("state") == state)
          found[check.at("subject")] = check.at("found").is_null() ? "" : check.at("found");
    }
    return found;
  }
};

Diagnosis diagnose(Arguments arguments) {
  arguments.insert(arguments.begin(), "doctor");
  arguments.insert(arguments.end(), {"--format", "json"});
  Diagnosis diagnosis{run_dbtrace(arguments), {}};
  diagnosis.report = json::parse(diagnosis.result.output);
  return diagnosis;
}

Arguments joined(Arguments first, const Arguments& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

class Doctor : public ::testing::TestWithParam<Subject> {
 protected:
  void SetUp() override {
    if (const auto why = GetParam().why_unavailable()) GTEST_SKIP() << *why;
  }
  static std::string pid() { return std::to_string(GetParam().pid()); }
  static Arguments connection() { return GetParam().connection(); }
};

INSTANTIATE_TEST_SUITE_P(Each, Doctor,
                         ::testing::Values(mysql_family<Flavor::MariaDb>("MariaDb"),
                                           mysql_family<Flavor::MySql>("MySql"),
                                           postgres<PostgresBuild::Installed>(),
                                           postgres<PostgresBuild::Version18>()),
                         [](const ::testing::TestParamInfo<Subject>& subject) {
                           return subject.param.name;
                         });

TEST_P(Doctor, FindsThatQueriesWorks) {
  const Diagnosis diagnosis = diagnose({pid()});
  EXPECT_EQ(diagnosis.result.exit_code, 0) << diagnosis.result.output;
  EXPECT_EQ(diagnosis.result.errors, "");
  EXPECT_EQ(diagnosis.report["works"], true);
  EXPECT_THAT(std::string(diagnosis.report["verdict"]), StartsWith("queries works"));
  for (const char* about : {"machine", "server"})
    EXPECT_THAT(diagnosis.checks(about, "missing"), IsEmpty());
  const auto right = diagnosis.checks("server", "ok");
  EXPECT_THAT(right.at("fields"), AllOf(HasSubstr("user"), HasSubstr("database")));
  for (const char* subject : {"build-id", "statements", "stacks", "memory", "programs"})
    EXPECT_TRUE(right.contains(subject)) << subject << "\n" << diagnosis.result.output;
  EXPECT_TRUE(diagnosis.checks("machine", "ok").contains("probes"));
  EXPECT_THAT(diagnosis.checks("canary", "ok"), IsEmpty());
}

TEST_P(Doctor, IsAsLikelyRightInWords) {
  const DbtraceResult result = run_dbtrace({"doctor", "-p", pid()});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output,
              AllOf(HasSubstr("\nok        kernel            Linux "),
                    HasSubstr("\nok        programs          the kernel takes them\n"),
                    HasSubstr("\nqueries works")));
}

TEST_P(Doctor, ProvesItByACanary) {
  const Diagnosis diagnosis = diagnose(joined({pid(), "--canary"}, connection()));
  EXPECT_EQ(diagnosis.result.exit_code, 0) << diagnosis.result.output;
  const auto right = diagnosis.checks("canary", "ok");
  EXPECT_THAT(right.at("text"), HasSubstr("dbtrace canary"));
  EXPECT_EQ(right.at("rows"), "1");
  EXPECT_EQ(right.at("user"), connection().back());
  for (const char* subject : {"connection", "duration", "budget"})
    EXPECT_TRUE(right.contains(subject)) << subject << "\n" << diagnosis.result.output;
}

// The statement runs, but in a server that is not looked at.
TEST_P(Doctor, HasACanaryThatFailsInAnotherServer) {
  const Another other = GetParam().start();
  const Diagnosis diagnosis =
      diagnose(joined({"-p", std::to_string(other.pid), "--canary"}, connection()));
  EXPECT_EQ(diagnosis.result.exit_code, 1) << diagnosis.result.output;
  EXPECT_EQ(diagnosis.report["works"], false);
  EXPECT_THAT(std::string(diagnosis.report["verdict"]), StartsWith("not proved: canary"));
  EXPECT_THAT(diagnosis.checks("canary", "missing").at("canary"), HasSubstr("was not seen"));
}

TEST_P(Doctor, HasACanaryThatFailsWithoutAConnection) {
  const Diagnosis diagnosis =
      diagnose({pid(), "--canary", "--socket", "/nonexistent/socket", "--user", "root"});
  EXPECT_EQ(diagnosis.result.exit_code, 1);
  EXPECT_THAT(diagnosis.checks("canary", "missing").at("connection"),
              HasSubstr("/nonexistent/socket"));
}

TEST(DoctorCanary, TakesItsPasswordFromTheEnvironment) {
  if (const auto why = why_unavailable(Flavor::MariaDb)) GTEST_SKIP() << *why;
  Server& server = shared_server(Flavor::MariaDb);
  Client(Session{.socket = server.socket()}).query("create user canary identified by 'a secret'");
  const Arguments arguments = {
      std::to_string(server.pid()), "--canary", "--socket", server.socket(), "--user", "canary"};
  const Diagnosis refused = diagnose(arguments);
  EXPECT_EQ(refused.result.exit_code, 1);
  EXPECT_THAT(refused.checks("canary", "missing").at("connection"), HasSubstr("denied"));
  ::setenv("DBTRACE_PASSWORD", "a secret", 1);
  const Diagnosis allowed = diagnose(arguments);
  ::unsetenv("DBTRACE_PASSWORD");
  EXPECT_EQ(allowed.result.exit_code, 0) << allowed.result.output;
  EXPECT_EQ(allowed.checks("canary", "ok").at("user"), "canary");
  EXPECT_THAT(allowed.result.output, Not(HasSubstr("a secret")));
}

// What is wrong with the command line, or there is no such server.
TEST(DoctorUsage, IsRefusedOrNothingWorks) {
  EXPECT_EQ(run_dbtrace({"doctor", "--socket", "/x"}).exit_code, 2);
  EXPECT_EQ(run_dbtrace({"doctor", "--canary", "--port", "0"}).exit_code, 2);
  EXPECT_EQ(run_dbtrace({"doctor", "-p", "1", "--exe", "/bin/ls"}).exit_code, 2);
  EXPECT_EQ(run_dbtrace({"doctor", "mysqld", "-p", "1"}).exit_code, 2);
  for (const auto& [target, says] :
       {std::pair("2147483647", "there is no process 2147483647"),
        std::pair("/bin/ls", "is not a database server that dbtrace knows"),
        std::pair("nosuchd", "no database server called nosuchd is running here")}) {
    const Diagnosis diagnosis = diagnose({target});
    EXPECT_EQ(diagnosis.result.exit_code, 1) << target;
    EXPECT_THAT(std::string(diagnosis.report["verdict"]),
                AllOf(StartsWith("queries does not work: server: "), HasSubstr(says)));
  }
}

}  // namespace
}  // namespace dbtrace::testing
