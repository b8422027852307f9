// What `dbtrace histogram` writes, where, and who else understands it.
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/truth.h"

namespace dbtrace::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class HistogramOutput : public Truth {
 protected:
  static std::string pid() { return std::to_string(server().pid()); }
  TemporaryFolder folder_;
};
DBTRACE_EACH_FLAVOR(HistogramOutput);

std::string sleep_of(int ms) { return "SELECT SLEEP(" + std::to_string(ms / 1000.0) + ")"; }

// The heaviest first, by fingerprint: how many.
using Ranking = std::vector<std::pair<std::string, int>>;

TEST_P(HistogramOutput, RanksKindsAsPtQueryDigestDoes) {
  const std::string slow_log = folder_.path() / "slow.log";
  DbtraceProcess log({"queries", "-p", pid(), "--format", "slowlog", "-o", slow_log});
  DbtraceProcess process({"histogram", "-p", pid(), "--fingerprint", "pt", "--format", "json"});
  log.wait_until_attached();
  process.wait_until_attached();
  Client session = client("anna", "shop");
  for (int i = 0; i < 9; ++i) session.query(sleep_of(40 + i));
  for (int i = 0; i < 6; ++i) session.query(sleep_of(20) + ", 'a" + std::to_string(i) + "'");
  for (int i = 0; i < 5; ++i)
    session.query("SELECT id, " + sleep_of(4).substr(7) + " FROM numbers WHERE id IN (1, " +
                  std::to_string(i + 2) + ")");
  Statement statement = session.prepare("SELECT SLEEP(0.003) FROM numbers WHERE id = ?");
  for (int i = 0; i < 3; ++i) statement.execute({int64_t{i + 1}});
  std::this_thread::sleep_for(milliseconds(300));
  ASSERT_EQ(process.stop(), 0) << process.errors();
  ASSERT_EQ(log.stop(), 0) << log.errors();

  const std::string digest_file = folder_.path() / "digest";
  ChildProcess digest({.arguments = {"/usr/bin/pt-query-digest", "--no-version-check",
                                     "--limit=100%", "--output=json", slow_log},
                       .output = digest_file,
                       .errors = folder_.path() / "errors"});
  ASSERT_EQ(digest.wait(seconds(60)), 0) << read_file(folder_.path() / "errors");
  Ranking theirs, ours;
  std::vector<std::string> their_ids, our_ids;
  const nlohmann::json their_report = nlohmann::json::parse(read_file(digest_file));
  const nlohmann::json our_report = process.queries().back();
  for (const nlohmann::json& each : their_report.at("classes")) {
    theirs.emplace_back(each.at("fingerprint"), each.at("query_count"));
    their_ids.push_back(each.at("checksum"));
  }
  for (const nlohmann::json& kind : our_report.at("kinds")) {
    ours.emplace_back(kind.at("text"), kind.at("count"));
    our_ids.push_back(kind.at("id").get<std::string>().substr(2));
  }
  ASSERT_EQ(ours.size(), 4U);
  EXPECT_EQ(ours, theirs);
  EXPECT_EQ(our_ids, their_ids);
}

TEST_P(HistogramOutput, TellsOfIntervalsAndOfTheWhole) {
  DbtraceProcess process({"histogram", "-p", pid(), "--format", "json", "--interval", "300ms"});
  process.wait_until_attached();
  Client session = client();
  for (int i = 0; i < 100; ++i) session.query(sleep_of(10));
  ASSERT_TRUE(process.wait_for_lines(4));
  ASSERT_EQ(process.stop(), 0) << process.errors();
  const std::vector<nlohmann::json> reports = process.queries();
  uint64_t in_intervals = 0;
  for (size_t i = 0; i + 1 < reports.size(); ++i) {
    EXPECT_EQ(reports[i].at("span"), "interval");
    in_intervals += reports[i].at("count").get<uint64_t>();
  }
  EXPECT_EQ(reports.back().at("span"), "total");
  EXPECT_EQ(reports.back().at("count"), 100);
  EXPECT_LE(in_intervals, 100U);
  EXPECT_GE(in_intervals, 50U);
}

TEST_P(HistogramOutput, SavedRunsAreForTheirOwnerAndCanBeCompared) {
  const auto save = [&](const std::string& name, int ms, const std::string& other) {
    const std::string file = folder_.path() / name;
    DbtraceProcess process({"histogram", "-p", pid(), "--save", file});
    process.wait_until_attached();
    Client session = client();
    for (int i = 0; i < 150; ++i) {  // for longer than a stretch
      session.query(sleep_of(ms));
      session.query("SELECT SLEEP(0.002), 1 AS same");
      session.query("SELECT SLEEP(0.002), 1 AS " + other);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    EXPECT_EQ(process.stop(), 0) << process.errors();
    struct stat status {};
    EXPECT_EQ(::stat(file.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0600U);
    return file;
  };
  const std::string before = save("before.json", 2, "gone_kind"),
                    after = save("after.json", 8, "fresh_kind");
  const DbtraceResult result = run_dbtrace({"diff", "--format", "json", before, after});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  std::map<std::string, std::string> verdicts;
  const nlohmann::json report = nlohmann::json::parse(result.output);
  for (const nlohmann::json& kind : report.at("kinds"))
    verdicts[kind.at("text")] = kind.at("verdict");
  const auto text = [](const std::string& alias) {
    return alias.empty() ? std::string("SELECT `SLEEP` (?)")
                         : "SELECT `SLEEP` (?) , ? AS `" + alias + "`";
  };
  using Verdicts = decltype(verdicts);
  EXPECT_EQ(verdicts, (Verdicts{{text(""), "slower"},
                                {text("gone_kind"), "vanished"},
                                {text("fresh_kind"), "appeared"}}))
      << result.output;
  EXPECT_EQ(run_dbtrace({"diff", before, before}).exit_code, 0);
  EXPECT_EQ(run_dbtrace({"diff", before, "/dev/null"}).exit_code, 1);
  EXPECT_EQ(run_dbtrace({"diff", before}).exit_code, 2);
}

TEST_P(HistogramOutput, PrometheusFilesAreReplacedAsAWhole) {
  const std::filesystem::path file = folder_.path() / "dbtrace.prom";
  DbtraceProcess process({"histogram", "-p", pid(), "--format", "prometheus", "--interval", "200ms",
                          "-o", file.string()});
  process.wait_until_attached();
  Client session = client();
  const std::string count = "dbtrace_query_duration_seconds_count{kind=";
  size_t looks = 0;
  for (int i = 0; i < 100; ++i) {
    session.query(sleep_of(10));
    const std::string now = read_file(file);
    if (now.empty()) continue;
    ++looks;
    ASSERT_TRUE(now.starts_with("# HELP ") && now.ends_with('\n')) << now;
  }
  EXPECT_GE(looks, 10U);
  std::this_thread::sleep_for(milliseconds(300));
  ASSERT_EQ(process.stop(), 0) << process.errors();
  const std::string last = read_file(file);
  const size_t at = last.find(count);
  ASSERT_NE(at, std::string::npos) << last;
  EXPECT_EQ(last.substr(last.find("} ", at) + 2, 4), "100\n") << last;
  EXPECT_EQ(process.output(), "");
}

TEST_P(HistogramOutput, ABudgetAddsUp) {
  DbtraceProcess process({"histogram", "-p", pid(), "--format", "json", "--budget"});
  process.wait_until_attached();
  Client session = client();
  for (int i = 0; i < 20; ++i) session.query(sleep_of(10));
  std::this_thread::sleep_for(milliseconds(300));
  ASSERT_EQ(process.stop(), 0) << process.errors();
  const nlohmann::json kind = process.queries().back().at("kinds").at(0);
  ASSERT_TRUE(kind.contains("budget")) << kind;
  const nlohmann::json& budget = kind.at("budget");
  EXPECT_EQ(budget.at("count"), 20);
  uint64_t sum = 0;
  for (const char* cause : {"on_cpu_ns", "runqueue_ns", "file_read_ns", "file_write_ns", "fsync_ns",
                            "lock_ns", "network_ns", "sleep_ns", "other_ns", "unexplained_ns"})
    sum += budget.at(cause).get<uint64_t>();
  EXPECT_NEAR(static_cast<double>(sum), kind.at("total_ns").get<double>(),
              0.02 * kind.at("total_ns").get<double>());
  EXPECT_GE(budget.at("lock_ns").get<uint64_t>() + budget.at("sleep_ns").get<uint64_t>(),
            20U * 8'000'000);
}

TEST_P(HistogramOutput, WhatCannotBeWrittenIsKnownAtOnce) {
  const DbtraceResult result =
      run_dbtrace({"histogram", "-p", pid(), "--save", folder_.path() / "none" / "saved.json"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.errors.find("cannot write"), std::string::npos);
  EXPECT_EQ(run_dbtrace({"histogram", "-p", pid(), "--sort", "io"}).exit_code, 2);
}

// A buffer that nobody empties: nothing is lost without being told.
TEST_P(HistogramOutput, LossesAreTold) {
  DbtraceProcess process(
      {"histogram", "-p", pid(), "--count-in", "user", "--buffer", "4k", "--format", "json"});
  process.wait_until_attached();
  Client session = client();
  constexpr uint64_t kQueries = 300;
  const std::string text = "SELECT '" + std::string(1000, 'x') + "'";
  process.process().signal(SIGSTOP);
  for (uint64_t i = 0; i < kQueries; ++i) session.query(text);
  process.process().signal(SIGCONT);
  std::this_thread::sleep_for(milliseconds(300));
  ASSERT_EQ(process.stop(), 0) << process.errors();
  const nlohmann::json report = process.queries().back();
  EXPECT_GT(report.at("lost"), 0);
  EXPECT_EQ(report.at("lost").get<uint64_t>() + report.at("count").get<uint64_t>(), kQueries);
}

}  // namespace
}  // namespace dbtrace::testing
