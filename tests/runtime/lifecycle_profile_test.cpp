// A fork that only its own profile knows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/runtime/dbtrace_process.h"
#include "tests/runtime/stub_server.h"

namespace dbtrace::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* kProfile =
    "base = mysql\n"
    "flavor = acmesql\n"
    "title = AcmeSQL\n"
    "dispatch = acme::run_command\n"
    "shape = Acme_session*, COM_DATA const*, enum_server_command, bool : session data command -\n"
    "rename thd_get_thread_id = acme_connection_id\n"
    "field user = acme_user\n";

class Profile : public ::testing::Test {
 protected:
  std::string write(const std::string& text) {
    std::ofstream(file_) << text;
    return file_;
  }
  StubServer server_{"renamed/acmed"};

 private:
  TemporaryFolder folder_;
  std::string file_ = folder_.path() / "acme.profile";
};

TEST_F(Profile, MakesAForkKnown) {
  const DbtraceResult without = run_dbtrace({"queries", "-p", server_.pid_text()});
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_THAT(without.errors, HasSubstr("is not a database server that dbtrace knows"));

  DbtraceProcess dbtrace(
      {"queries", "-p", server_.pid_text(), "--format", "json", "--profile", write(kProfile)});
  dbtrace.wait_until_attached();
  EXPECT_THAT(dbtrace.errors(), HasSubstr("attached to AcmeSQL (pid "));
  server_.run_script();
  EXPECT_EQ(dbtrace.stop(), 0);
  const auto queries = dbtrace.queries();
  ASSERT_EQ(queries.size(), 2u);
  EXPECT_EQ(queries[1]["query"], "SELECT 'second'");
  for (const auto& query : queries) {
    EXPECT_EQ(query["flavor"], "acmesql");
    EXPECT_EQ(query["conn"], 301);
    EXPECT_EQ(query["user"], "anna");
    EXPECT_EQ(query["command"], "Query");
  }
}

TEST_F(Profile, IsRefusedWithItsLine) {
  const DbtraceResult result =
      run_dbtrace({"queries", "--profile", write("base = mysql\nflavour = acme\n")});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("acme.profile:2: 'flavour' is none of base, flavor"));
  EXPECT_EQ(run_dbtrace({"queries", "--profile", "/no/such/file"}).exit_code, 2);
}

}  // namespace
}  // namespace dbtrace::testing
