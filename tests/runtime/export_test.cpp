// `dbtrace export` of recordings of real servers: what is in the file is what the recording has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <thread>

#include "tests/runtime/client.h"
#include "tests/runtime/postgres.h"
#include "tests/runtime/recording.h"
#include "tests/runtime/servers.h"
#include "tests/runtime/truth.h"
#include "tests/unit/output/csv_rows.h"
#include "tests/unit/output/perfetto/decoded.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

DbtraceResult exported(const std::string& file, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"export", file, "--format"});
  return run_dbtrace(arguments);
}

std::string must_export(const std::string& file, const std::vector<std::string>& arguments) {
  const DbtraceResult result = exported(file, arguments);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  return result.output;
}

size_t occurrences(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

// One recording for all: a session that keeps another one waiting, a routine, and what fails.
class Export : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    file_ = folder_->path() / "recording";
    Server& server = shared_server(Flavor::MariaDb);
    pid_ = server.pid();
    Client first({.socket = server.socket()}), second({.socket = server.socket()});
    first.query("create or replace database exported");
    first.select_database("exported");
    second.select_database("exported");
    first.query("create table t (a int primary key, b int) engine = innodb");
    first.query("insert into t values (1, 1)");
    first.query("create procedure two() begin select 1; select 2; end");

    DbtraceProcess record(
        {"record", "-o", file_, "-p", std::to_string(pid_), "--literals", "--statements"});
    record.wait_until_attached();
    first_ = first.value("select connection_id()");
    second_ = second.value("select connection_id()");
    first.query("begin");
    first.query("update t set b = 2 where a = 1");
    std::thread waiting([&second] { second.query("update t set b = 3 where a = 1"); });
    Client looking({.socket = server.socket()});
    EXPECT_TRUE(wait_until(
        [&looking] {
          return looking.value(
                     "select variable_value from information_schema.global_status"
                     " where variable_name = 'innodb_row_lock_current_waits'") == "1";
        },
        seconds(20)));
    first.query("commit");
    waiting.join();
    first.query("call two()");
    EXPECT_EQ(first.error_of("select '=1+1', \"a\" from nosuch"), 1146U);
    ASSERT_EQ(record.stop(), 0) << record.errors();
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }

  static std::vector<json> lines() {
    const DbtraceResult result =
        run_dbtrace({"queries", "--from", file_, "--format", "json", "--budget"});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return parse_lines(result.output);
  }

  static inline TemporaryFolder* folder_ = nullptr;
  static inline std::string file_, first_, second_;
  static inline pid_t pid_ = 0;
};

TEST_F(Export, JsonIsThatOfQueries) {
  EXPECT_EQ(must_export(file_, {"json"}),
            run_dbtrace({"queries", "--from", file_, "--format", "json", "--budget"}).output);
  EXPECT_EQ(parse_lines(must_export(file_, {"json", "--errors"})).size(), 1U);
  EXPECT_EQ(parse_lines(must_export(file_, {"json", "--limit", "2"})).size(), 2U);
}

TEST_F(Export, CsvHasARowAQuery) {
  const auto rows = output::parse_csv(must_export(file_, {"csv"}));
  const std::vector<json> told = lines();
  ASSERT_EQ(rows.size(), told.size() + 1);
  std::map<std::string, size_t> column;
  for (size_t i = 0; i < rows[0].size(); ++i) column[rows[0][i]] = i;
  for (size_t i = 0; i < told.size(); ++i) {
    const auto& row = rows[i + 1];
    EXPECT_EQ(row[column["start"]], told[i].at("start"));
    EXPECT_EQ(row[column["duration_ns"]], told[i].at("duration_ns").dump());
    EXPECT_EQ(row[column["conn"]], told[i].at("conn").dump());
    EXPECT_EQ(row[column["query"]], told[i].at("query"));
    // Statements have none.
    const json& budget = told[i].at("budget");
    EXPECT_EQ(row[column["on_cpu_ns"]], budget.is_null() ? "" : budget.at("on_cpu_ns").dump());
  }
}

TEST_F(Export, SlowLogIsThatOfQueries) {
  const std::string log = must_export(file_, {"slowlog"});
  EXPECT_EQ(occurrences(log, "# Query_time: "), lines().size());
  EXPECT_THAT(log, HasSubstr("update t set b = 3 where a = 1;\n"));
}

TEST_F(Export, ATraceHasASliceAQuery) {
  const std::string file = folder_->path() / "trace";
  const DbtraceResult result = exported(file_, {"perfetto", "-o", file});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.output, "");
  const DecodedTrace trace = decode_trace(read_file(file));
  EXPECT_EQ(trace.slices.size(), lines().size());
  std::multiset<std::string> slices, queries;
  for (const Slice& slice : trace.slices) {
    EXPECT_THAT(slice.server, StartsWith("MariaDB 1"));
    EXPECT_EQ(slice.pid, static_cast<uint64_t>(pid_));
    EXPECT_THAT(slice.track,
                AllOf(StartsWith("root"), EndsWith(" #" + slice.arguments.at("conn").dump())));
    EXPECT_EQ(slice.depth > 0, slice.arguments.at("command") == "Statement") << slice.name;
    slices.insert(std::to_string(slice.begin_ns) + '|' +
                  std::to_string(slice.end_ns - slice.begin_ns) + '|' + slice.name);
  }
  std::istringstream rows(asked(
      file_, "select start_ns || '|' || duration_ns || '|' || kind_text from queries order by id"));
  for (std::string row; std::getline(rows, row);) queries.insert(row);
  EXPECT_EQ(slices, queries);
}

TEST_F(Export, ATraceHasAnArrowFromTheBlocker) {
  const DecodedTrace trace = decode_trace(must_export(file_, {"perfetto"}));
  const auto blocked = std::ranges::find_if(trace.slices, [](const Slice& slice) {
    return slice.arguments.value("query", "") == "update t set b = 3 where a = 1";
  });
  ASSERT_NE(blocked, trace.slices.end());
  const Slice& to = *blocked;
  // There may be others: within the server a commit waits for an update, now and then.
  const auto arrow = std::ranges::find(trace.arrows, blocked - trace.slices.begin(),
                                       &std::pair<size_t, size_t>::second);
  ASSERT_NE(arrow, trace.arrows.end()) << asked(file_, "select * from blockers");
  const Slice& from = trace.slices[arrow->first];
  EXPECT_EQ(from.track, "root/exported #" + first_);
  EXPECT_EQ(from.arguments.at("query"), "commit");
  EXPECT_EQ(to.track, "root/exported #" + second_);
  EXPECT_GT(to.arguments.at("budget").at("row_lock_ns"), 0);
  // Without the blocker there is none.
  const DecodedTrace one = decode_trace(must_export(file_, {"perfetto", "--conn", second_}));
  EXPECT_GT(one.slices.size(), 0U);
  EXPECT_TRUE(one.arrows.empty());
  EXPECT_EQ(decode_trace(must_export(file_, {"perfetto", "--limit", "3"})).slices.size(), 3U);
}

TEST_F(Export, SaysWhatIsWrong) {
  const DbtraceResult foreign = exported(file_, {"pglog"});
  EXPECT_EQ(foreign.exit_code, 2);
  EXPECT_THAT(foreign.errors, AllOf(HasSubstr("--format pglog is not for MariaDB"),
                                    HasSubstr("--format slowlog is")));
  for (const char* format : {"folded", "speedscope"}) {
    const DbtraceResult none = exported(file_, {format});
    EXPECT_EQ(none.exit_code, 2);
    EXPECT_THAT(none.errors, HasSubstr("the recording has no stacks"));
  }
  const auto size = std::filesystem::file_size(file_);
  EXPECT_EQ(exported(file_, {"csv", "-o", file_}).exit_code, 1);
  EXPECT_EQ(std::filesystem::file_size(file_), size);
  EXPECT_EQ(exported("/etc/passwd", {"csv"}).exit_code, 1);
  EXPECT_EQ(run_dbtrace({"export", file_}).exit_code, 2);
  EXPECT_EQ(exported(file_, {"xml"}).exit_code, 2);
}

// Both look at one sleep: the same functions, the kernel's too, for the same time.
TEST(RecordedStacks, AreThoseThatStacksShows) {
  Server& server = shared_server(Flavor::MariaDb);
  const std::string pid = std::to_string(server.pid());
  TemporaryFolder folder;
  const std::string file = folder.path() / "recording";
  DbtraceProcess record(
      {"record", "-o", file, "-p", pid, "--stacks", "--slower-than", "100ms", "--literals"});
  DbtraceProcess live({"stacks", "-p", pid, "--format", "json"});
  record.wait_until_attached();
  live.wait_until_attached();
  Client client({.socket = server.socket()});
  client.query("select sleep(2)");  // what sleeps is looked at ten times a second
  ASSERT_TRUE(live.wait_for_lines(1));
  ASSERT_EQ(live.stop(), 0) << live.errors();
  ASSERT_EQ(record.stop(), 0) << record.errors();

  const DbtraceResult recorded = run_dbtrace({"stacks", "--from", file, "--format", "json"});
  ASSERT_EQ(recorded.exit_code, 0) << recorded.errors;
  const auto sleeping = [](const std::string& lines) {
    json found;
    for (const json& line : parse_lines(lines))
      for (const json& stack : line.at("stacks"))
        if (line.at("query") == "select sleep(2)" && stack.at("cause") == "sleep") found = stack;
    return found;
  };
  const json shown = sleeping(live.output()), kept = sleeping(recorded.output);
  ASSERT_FALSE(shown.is_null()) << live.output();
  ASSERT_FALSE(kept.is_null()) << recorded.output;
  EXPECT_EQ(kept.at("frames"), shown.at("frames"));
  EXPECT_EQ(kept.at("whole"), shown.at("whole"));
  EXPECT_THAT(kept.dump(), HasSubstr(R"("kind":"kernel")"));
  EXPECT_NEAR(kept.at("ns").get<double>(), shown.at("ns").get<double>(), 1e8);

  // `queries` shows the heaviest of them, `export` all of each kind.
  const DbtraceResult queries =
      run_dbtrace({"queries", "--from", file, "--format", "json", "--match", "sleep"});
  const json heaviest = parse_lines(queries.output).at(0).at("stacks").at(0);
  EXPECT_EQ(heaviest.at("ns"), kept.at("ns"));
  EXPECT_EQ(exported(file, {"folded"}).output,
            run_dbtrace({"stacks", "--from", file, "--format", "folded", "--by", "fingerprint",
                         "--slower-than", "0ms"})
                .output);
  const DbtraceResult speedscope = exported(file, {"speedscope"});
  EXPECT_THAT(speedscope.errors, HasSubstr(" exported, "));
  uint64_t sum = 0;
  const json whole = json::parse(speedscope.output);
  for (const json& profile : whole.at("profiles"))
    if (profile.at("name").get<std::string>().ends_with(" (in order of time)"))
      for (const json& weight : profile.at("weights")) sum += weight.get<uint64_t>();
  EXPECT_EQ(std::to_string(sum) + '\n', asked(file, "select sum(ns) from samples"));
}

TEST(RecordedStacks, SayWhatIsWrong) {
  const DbtraceResult function = run_dbtrace({"stacks", "--from", "dispatch_command"});
  EXPECT_EQ(function.exit_code, 1);
  EXPECT_THAT(function.errors, HasSubstr("--begin-at dispatch_command is for stacks that begin"));
  EXPECT_EQ(run_dbtrace({"stacks", "--from", "r", "--running"}).exit_code, 2);
}

TEST(ExportOfPostgres, IsItsOwnLog) {
  if (const auto why = why_unavailable(PostgresBuild::Installed)) GTEST_SKIP() << *why;
  Postgres& server = shared_postgres(PostgresBuild::Installed);
  TemporaryFolder folder;
  const std::string file = folder.path() / "recording";
  DbtraceProcess record({"record", "-o", file, "-p", std::to_string(server.pid())});
  record.wait_until_attached();
  {
    PgClient client(server);
    client.must("select 1 as one");
    (void)client.query("select 1 / 0");
  }
  ASSERT_EQ(record.stop(), 0) << record.errors();
  const std::string log = must_export(file, {"pglog", "--match", "select"});
  EXPECT_EQ(occurrences(log, "LOG:  duration: "), 1U) << log;
  EXPECT_EQ(occurrences(log, "ERROR:  22012"), 1U) << log;
  const DbtraceResult foreign = exported(file, {"slowlog"});
  EXPECT_EQ(foreign.exit_code, 2);
  EXPECT_THAT(foreign.errors, HasSubstr("--format slowlog is not for PostgreSQL"));
  const DbtraceResult replayed = run_dbtrace({"queries", "--from", file, "--format", "slowlog"});
  EXPECT_EQ(replayed.exit_code, 2);
  // Its sessions are processes of one server.
  for (const Slice& slice : decode_trace(must_export(file, {"perfetto"})).slices) {
    EXPECT_THAT(slice.server, StartsWith("PostgreSQL "));
    EXPECT_EQ(slice.pid, static_cast<uint64_t>(server.pid()));
    EXPECT_NE(slice.arguments.at("pid"), slice.pid);
  }
}

}  // namespace
}  // namespace dbtrace::testing
