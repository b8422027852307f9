// Single operations that `dbtrace record` keeps are those that `dbtrace io` tells of, and `io
// --from` tells of them as it would have live.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/runtime/io.h"
#include "tests/runtime/recording.h"
#include "tests/runtime/stub_server.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr const char* kShape = "budget_mariadb/mariadbd";

class IoRecorded : public ::testing::Test {
 protected:
  // Of the recording, with `options`.
  std::vector<json> replayed(std::vector<std::string> options) {
    options.insert(options.begin(), {"io", "--from", file_, "--format", "json"});
    const DbtraceResult result = run_dbtrace(options);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return parse_lines(result.output);
  }
  void record(StubServer& server, std::vector<std::string> options = {}) {
    options.insert(options.begin(),
                   {"record", "--operations", "--literals", "-o", file_, "-p", server.pid_text()});
    record_.emplace(options);
    record_->wait_until_attached();
  }
  void stop() { ASSERT_EQ(record_->stop(), 0) << record_->errors(); }

  IoPlan plan_{{"201 pread a.ibd 4096 50 warm; pwrite b.ibd 100 30; fsync b.ibd 0 2",
                "202 pread a.ibd 4096 7 cold", "203 pread c.ibd 8192 20",
                "purge pread a.ibd 512 9"}};
  TemporaryFolder folder_;
  std::string file_ = folder_.path() / "recording";
  std::optional<DbtraceProcess> record_;
};

// What does not depend on who looks: not how long it took.
std::vector<std::string> rows_of(const json& table) {
  std::vector<std::string> all;
  for (json row : table.at("rows")) {
    for (const char* key : {"total_ns", "mean_ns", "p50_ns", "p90_ns", "p99_ns", "p999_ns",
                            "max_ns", "share", "blocked", "example"})
      row.erase(key);
    all.push_back(row.dump());
  }
  std::ranges::sort(all);
  return all;
}

std::vector<std::string> lines_of(const std::vector<json>& list) {
  std::vector<std::string> all;
  for (json line : list) {
    for (const char* key : {"start", "duration_ns", "blocked", "running"}) line.erase(key);
    all.push_back(line.dump());
  }
  std::ranges::sort(all);
  return all;
}

TEST_F(IoRecorded, TablesAreThoseOfTheSameRun) {
  StubServer server(kShape, {}, {plan_.folder()});
  record(server);
  const std::vector<std::string> subjects = {"file", "query", "thread"};
  std::vector<std::unique_ptr<IoTrace>> traces;
  for (const std::string& by : subjects)
    traces.push_back(
        std::make_unique<IoTrace>(std::vector<std::string>{"-p", server.pid_text(), "--by", by}));
  server.run_script();
  std::vector<json> live;
  for (const auto& trace : traces) live.push_back(trace->total());
  stop();
  for (size_t i = 0; i < subjects.size(); ++i) {
    const json recorded = replayed({"--by", subjects[i]}).back();
    EXPECT_EQ(recorded.at("span"), "total");
    EXPECT_EQ(recorded.at("lost"), 0);
    EXPECT_EQ(rows_of(recorded), rows_of(live[i])) << subjects[i];
    EXPECT_GE(recorded.at("operations").at("read").at("count"), 50 + 7 + 20 + 9);
  }
  EXPECT_THAT(record_->errors(), HasSubstr(" file operations seen: "));
}

TEST_F(IoRecorded, TheListIsThatOfTheSameRun) {
  StubServer server(kShape, {}, {plan_.folder()});
  record(server);
  IoTrace trace({"-p", server.pid_text(), "--slower-than", "0ms"});
  server.run_script();
  const std::vector<std::string> live = lines_of(trace.finish());
  stop();
  EXPECT_GE(live.size(), 118U);
  EXPECT_EQ(lines_of(replayed({"--slower-than", "0ms"})), live);
  // Filters choose as they do live: the two, and that of making the file.
  EXPECT_EQ(replayed({"--slower-than", "0ms", "--op", "fsync", "--file", "b.*"}).size(), 3U);
  EXPECT_TRUE(replayed({"--slower-than", "1h"}).empty());
}

// Without operations a query is one all the same.
TEST_F(IoRecorded, QueriesWithoutOperationsAreRecordedToo) {
  const IoPlan plan({"201 sleep 20", "202 pread a.ibd 4096 1 warm"});
  StubServer server(kShape, {}, {plan.folder()});
  record(server);
  server.run_script();
  stop();
  EXPECT_EQ(asked(file_, "select text from queries where text like 'sleep%'"), "sleep 20\n");
}

TEST_F(IoRecorded, IntervalsAddUpToTheTotal) {
  const IoPlan plan({"201 pread a.ibd 4096 10 warm; sleep 700; pread a.ibd 4096 20; sleep 700"});
  StubServer server(kShape, {}, {plan.folder()});
  record(server);
  server.run_script();
  stop();
  const std::vector<json> lines = replayed({"--interval", "100ms"});
  ASSERT_GE(lines.size(), 3U);
  int64_t in_intervals = 0;
  for (const json& line : lines)
    if (line.at("span") == "interval")
      in_intervals += line["operations"]["read"]["count"].get<int64_t>();
  const int64_t total = lines.back()["operations"]["read"]["count"].get<int64_t>();
  EXPECT_LE(in_intervals, total);
  EXPECT_GE(in_intervals, total - 20) << "all but the last interval";
  EXPECT_GE(total, 30);
}

TEST_F(IoRecorded, MoreThanTheRateIsCountedAsLost) {
  const IoPlan plan({"201 pread a.ibd 16 20000 warm"});
  StubServer server(kShape, {}, {plan.folder()});
  record(server, {"--max-rate", "100"});
  server.run_script();
  stop();
  const json total = replayed({"--op", "read"}).back();
  const int64_t kept = total["operations"]["read"]["count"].get<int64_t>();
  EXPECT_LT(kept, 20'000);
  EXPECT_GT(kept, 0);
  EXPECT_GE(kept + total["lost"].get<int64_t>(), 20'000);
  EXPECT_THAT(record_->errors(), HasSubstr("operations were more than --max-rate"));
}

TEST_F(IoRecorded, WithoutThemItIsSaid) {
  StubServer server(kShape, {}, {plan_.folder()});
  DbtraceProcess plain({"record", "-o", file_, "-p", server.pid_text()});
  plain.wait_until_attached();
  ASSERT_EQ(plain.stop(), 0) << plain.errors();
  const DbtraceResult result = run_dbtrace({"io", "--from", file_});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, HasSubstr("was recorded without single operations on files\n"
                                       "  dbtrace record --operations keeps them"));
  EXPECT_EQ(run_dbtrace({"io", "--from", file_, "-p", "1"}).exit_code, 2);
  EXPECT_EQ(run_dbtrace({"record", "-o", file_, "--operations", "--file-io", "none"}).exit_code, 2);
}

}  // namespace
}  // namespace dbtrace::testing
