// How a server is found: by itself, by its pid, by its file; in a namespace of
// process ids of its own, in another root, after its file was replaced.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runtime/built_files.h"
#include "tests/runtime/command.h"
#include "tests/runtime/dbtrace_process.h"
#include "tests/runtime/stub_server.h"

namespace dbtrace::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kComData = "com_data/renamed-server";
constexpr const char* kSuspending = "suspending/mariadbd";
constexpr size_t kShownOfComData = 11;

// A machine of its own, as far as /proc tells: only what `script` starts runs
// there. $1 is dbtrace, $2 and $3 are stub servers.
DbtraceResult in_namespace(const std::string& script) {
  static const std::string kStart = R"(
    start() {  # a server, and waits until it listens
      : > "$folder/out"
      "$@" > "$folder/out" &
      until grep -q ready "$folder/out"; do sleep 0.02; done
    }
    )";
  TemporaryFolder folder;
  return run_command({"/usr/bin/unshare", "--pid", "--fork", "--mount-proc", "--kill-child",
                      "/bin/sh", "-c", "folder=$4" + kStart + script, "sh", kDbtrace,
                      stub_program(kComData), stub_program(kSuspending), folder.path()});
}

TEST(WithoutOptions, NoServerIsAnErrorThatSaysWhatWasLookedFor) {
  const DbtraceResult result = in_namespace(R"("$1" queries)");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.output, "");
  EXPECT_THAT(result.errors, AllOf(HasSubstr("no database server is running here"),
                                   HasSubstr("looked for MariaDB"), HasSubstr("mariadbd"),
                                   HasSubstr("mysqld"), HasSubstr("-p PID")));
}

TEST(WithoutOptions, TheOnlyServerIsTraced) {
  const DbtraceResult result = in_namespace(R"(
    start "$2" --datadir=/here
    server=$!
    "$1" queries --format json --limit 11 2> "$folder/errors" &
    tracer=$!
    until grep -q ^attached "$folder/errors"; do sleep 0.02; done
    kill -USR1 $server
    wait $tracer
    status=$?
    cat "$folder/errors" >&2
    echo "$server"
    exit $status)");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, AllOf(HasSubstr("attached to MySQL 9.9.1-stub (pid "),
                                   HasSubstr(std::string("/") + kComData + ", --datadir=/here)")));
  std::istringstream lines(result.output);
  std::vector<json> values;
  for (std::string line; std::getline(lines, line);) values.push_back(json::parse(line));
  ASSERT_EQ(values.size(), kShownOfComData + 1);
  // Ids are those of the namespace, as `ps` shows them there.
  for (size_t i = 0; i < kShownOfComData; ++i) {
    EXPECT_EQ(values[i]["pid"], values.back());
    EXPECT_EQ(values[i]["tid"], values.back());
  }
}

TEST(WithoutOptions, OfSeveralServersOneHasToBeNamed) {
  const DbtraceResult result = in_namespace(R"(
    start "$2" --datadir=/one
    echo "$!"
    start "$3" --socket /two
    echo "$!"
    "$1" queries)");
  EXPECT_EQ(result.exit_code, 2);
  std::istringstream pids(result.output);
  std::string one, two;
  pids >> one >> two;
  EXPECT_THAT(result.errors,
              AllOf(HasSubstr("several database servers are running"),
                    HasSubstr("\n  MySQL 9.9.1-stub (pid " + one + ", " +
                              stub_program(kComData).string() + ", --datadir=/one)\n"),
                    HasSubstr("\n  MariaDB 10.99.1-MariaDB-stub (pid " + two + ", " +
                              stub_program(kSuspending).string() + ", --socket=/two)\n"),
                    HasSubstr("choose with -p PID")));
}

TEST(WithoutOptions, ACommandLineCannotDriveTheTerminal) {
  const DbtraceResult result = in_namespace(R"sh(
    start "$2" "--datadir=$(printf '/\033[31m\nred')"
    start "$3"
    "$1" queries)sh");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors,
              AllOf(HasSubstr("--datadir=/\\x1b[31m red)\n"), Not(HasSubstr("\x1b"))));
}

TEST(SeveralPids, AreTracedTogether) {
  StubServer one(kComData), two(kSuspending), untraced(kComData);
  // One that is named twice is shown once.
  DbtraceProcess dbtrace({"queries", "--format", "json", "-p", one.pid_text(), "-p", two.pid_text(),
                          "-p", one.pid_text()});
  dbtrace.wait_until_attached();
  one.run_script();
  untraced.run_script();
  two.run_script();
  EXPECT_EQ(dbtrace.stop(), 0);
  const std::vector<json> queries = dbtrace.queries();
  ASSERT_EQ(queries.size(), kShownOfComData + 5);
  for (size_t i = 0; i < queries.size(); ++i) {
    const bool first = i < kShownOfComData;
    EXPECT_EQ(queries[i]["pid"], first ? one.pid() : two.pid());
    EXPECT_EQ(queries[i]["flavor"], first ? "mysql" : "mariadb");
  }
}

TEST(Exe, MeansProcessesPresentAndFuture) {
  TemporaryFolder folder;
  const std::string program = folder.path() / "server";
  fs::copy_file(stub_program(kComData), program);
  StubServer present(program);
  std::vector<pid_t> expected;
  DbtraceProcess dbtrace({"queries", "--format", "json", "--exe", program});
  dbtrace.wait_until_attached();
  const auto work = [&](StubServer& server) {
    server.run_script();
    expected.insert(expected.end(), kShownOfComData, server.pid());
  };
  work(present);
  {
    StubServer future(program);
    work(future);
    work(present);
  }
  // The end of one, or of all, is not the end.
  present.process().signal(SIGTERM);
  EXPECT_EQ(present.process().wait(seconds(10)), 0);
  StubServer again(program);
  work(again);
  EXPECT_EQ(dbtrace.stop(), 0);
  std::vector<pid_t> pids;
  for (const json& query : dbtrace.queries()) pids.push_back(query["pid"]);
  EXPECT_EQ(pids, expected);
}

// The file that runs is probed, whatever its path means by now.
class ReplacedFile : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Is, ReplacedFile, ::testing::Bool(),
                         [](const auto& each) { return each.param ? "Replaced" : "Deleted"; });

TEST_P(ReplacedFile, IsTracedAllTheSame) {
  TemporaryFolder folder;
  const fs::path program = folder.path() / "mysqld";
  fs::copy_file(stub_program(kComData), program);
  StubServer server(program);
  fs::remove(program);
  if (GetParam()) fs::copy_file(stub_program("no_dispatch/mysqld"), program);
  DbtraceProcess dbtrace({"queries", "--format", "json", "-p", server.pid_text()});
  dbtrace.wait_until_attached();
  EXPECT_THAT(dbtrace.errors(),
              HasSubstr(program.string() + ", replaced on disk since it started)"));
  server.run_script();
  EXPECT_EQ(dbtrace.stop(), 0);
  EXPECT_EQ(dbtrace.queries().size(), kShownOfComData);
}

// A stripped server in another root has its debug file there as well.
struct Place {
  std::string name;
  std::string debug_file;  // inside the root; {} is the build-id
};
class OtherRoot : public ::testing::TestWithParam<Place> {};
INSTANTIATE_TEST_SUITE_P(DebugFile, OtherRoot,
                         ::testing::Values(Place{"BesideTheBinary", "/usr/sbin/mysqld.debug"},
                                           Place{"InADebugFolder", "/usr/sbin/.debug/mysqld.debug"},
                                           Place{"UnderUsrLibDebug",
                                                 "/usr/lib/debug/usr/sbin/mysqld.debug"},
                                           Place{"ByBuildId", "/usr/lib/debug/.build-id/"}),
                         [](const auto& each) { return each.param.name; });

// "build-id     1234…" of what --explain says.
std::string build_id_of(const StubServer& server) {
  const DbtraceResult result = run_dbtrace({"queries", "-p", server.pid_text(), "--explain"});
  std::istringstream words(result.output);
  for (std::string word; words >> word;)
    if (word == "build-id" && words >> word) return word;
  throw std::runtime_error("no build-id:\n" + result.output + result.errors);
}

TEST_P(OtherRoot, IsSearchedForTheDebugFile) {
  TemporaryFolder root;
  const auto inside = [&](const std::string& path) {
    return fs::path(root.path().string() + path);
  };
  std::string place = GetParam().debug_file;
  if (place.ends_with("/.build-id/")) {
    const std::string id = build_id_of(StubServer("static/mysqld"));
    place += id.substr(0, 2) + "/" + id.substr(2) + ".debug";
  }
  fs::create_directories(inside("/usr/sbin"));
  fs::copy_file(stub_program("static_split/mysqld"), inside("/usr/sbin/mysqld"));
  fs::create_directories(inside(place).parent_path());
  fs::copy_file(stub_program("static_split/mysqld.debug"), inside(place));

  StubServer server("/usr/sbin/mysqld", root.path());
  DbtraceProcess dbtrace({"queries", "--format", "json", "-p", server.pid_text()});
  dbtrace.wait_until_attached();
  server.run_script();
  EXPECT_EQ(dbtrace.stop(), 0);
  const std::vector<json> queries = dbtrace.queries();
  ASSERT_EQ(queries.size(), kShownOfComData);
  EXPECT_EQ(queries[0]["flavor"], "mysql");
  EXPECT_EQ(queries[0]["conn"], 201);
}

}  // namespace
}  // namespace dbtrace::testing
