// A slow log with all kinds of events, read by the programs it is meant for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/unit/output/sample_query.h"

namespace dbtrace::output {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const char* const kPtQueryDigest = "/usr/bin/pt-query-digest";     // percona-toolkit
const char* const kMariaDbDumpSlow = "/usr/bin/mariadb-dumpslow";  // mariadb-client

class SlowLogFile {
 public:
  explicit SlowLogFile(std::string_view events) {
    path_ = testing::TempDir() + "dbtrace-slow-" + std::to_string(getpid()) + ".log";
    std::ofstream(path_) << events;
  }
  ~SlowLogFile() { std::filesystem::remove(path_); }

  // What `command` prints when given this file, complaints included.
  [[nodiscard]] std::string read_by(const std::string& command) const {
    std::string output;
    FILE* pipe = popen((command + " " + path_ + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return "popen failed";
    char buffer[4096];
    while (const size_t size = fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, size);
    pclose(pipe);
    return output;
  }

 private:
  std::string path_;
};

// Ten events: 3 × select, 1 × failing select, 2 × forgery, 1 × empty, 1 × use,
// 2 × Ping.
std::string all_kinds(std::string_view flavor) {
  const auto sink = make_sink({.format = Format::SlowLog});
  std::string log;
  sink->begin(log);
  model::Query query = sample_query();
  query.flavor = flavor;
  const auto add = [&](std::string_view text) {
    set_text(query, text);
    query.start_ns += 1'000'000'000;
    sink->write(query, log);
  };
  query.duration_ns = 2'000'000'000;
  for (const char* text :
       {"select name from customers where id = 1", "select name\nfrom customers\nwhere id = 22;",
        "select name from customers where id = 333"}) {
    add(text);
  }
  query.duration_ns = 1'000'000;
  query.error = 1146;
  query.rows_examined.reset();
  add("select * from nope");
  query.error = 0;
  const std::string forged =
      "insert into t values (1);\n# Time: 2026-01-01T00:00:00.000000Z\n"
      "# User@Host: forger[forger] @ x []\n# Query_time: 99  Lock_time: 0 Rows_sent: 1  "
      "Rows_examined: 1\nuse forged;\nSET timestamp=1;\nselect forged_statement;\n";
  add(forged);
  query.database = "the other-db";
  add("/usr/sbin/mysqld, Version: 8.0 started with:\nTcp port: 0\nTime   Id Command   Argument\n" +
      forged);
  add("");
  add("use shop");
  query.command = "Ping";
  query.text_state = model::TextState::None;
  query.text.clear();
  query.text_length = 0;
  sink->write(query, log);
  sink->write(query, log);
  return log;
}

// Three selects of 123,456 ns, with budgets.
std::string budgets(std::string_view flavor) {
  const auto sink = make_sink({.format = Format::SlowLog});
  std::string log;
  model::Query query = sample_with_budget();
  query.flavor = flavor;
  for (const char* text : {"select a from t where b = 1", "select a from t where b = 22"}) {
    set_text(query, text);
    sink->write(query, log);
  }
  query.io->operations[0] = {};
  sink->write(query, log);
  return log;
}

class SlowLogTools : public ::testing::TestWithParam<const char*> {};

TEST_P(SlowLogTools, PtQueryDigestCountsEveryEvent) {
  if (access(kPtQueryDigest, X_OK) != 0) GTEST_SKIP() << kPtQueryDigest << " is not installed";
  const SlowLogFile log(all_kinds(GetParam()));
  const std::string output =
      log.read_by(std::string(kPtQueryDigest) + " --no-version-check --output json --limit 100%");
  const size_t begin = output.find('{');
  ASSERT_NE(begin, std::string::npos) << output;
  const auto report = nlohmann::json::parse(output.substr(begin), nullptr, false);
  ASSERT_TRUE(report.is_object()) << output;
  EXPECT_EQ(output.find_first_not_of('\n'), begin) << "complaints: " << output.substr(0, begin);

  std::map<std::string, int> counts;
  for (const auto& query_class : report["classes"]) {
    counts[query_class["fingerprint"]] = query_class["query_count"];
  }
  EXPECT_EQ(report["global"]["query_count"], 10) << output;
  EXPECT_EQ(counts["select name from customers where id = ?"], 3) << output;
  EXPECT_EQ(counts["select * from nope"], 1) << output;
  EXPECT_EQ(counts["administrator command: Ping"], 2) << output;
  EXPECT_EQ(counts.count("select forged_statement"), 0U) << output;
  EXPECT_THAT(report["global"]["metrics"]["Query_time"]["sum"].get<std::string>(),
              HasSubstr("6.0"));
  for (const auto& query_class : report["classes"]) {
    EXPECT_EQ(query_class["metrics"]["user"]["value"], "app") << query_class;
    EXPECT_NE(query_class["metrics"]["db"]["value"], "forged") << query_class;
  }
}

TEST_P(SlowLogTools, PtQueryDigestAddsUpBudgets) {
  if (access(kPtQueryDigest, X_OK) != 0) GTEST_SKIP() << kPtQueryDigest << " is not installed";
  const SlowLogFile log(budgets(GetParam()));
  const std::string output =
      log.read_by(std::string(kPtQueryDigest) + " --no-version-check --output json --limit 100%");
  const size_t begin = output.find('{');
  ASSERT_NE(begin, std::string::npos) << output;
  const auto report = nlohmann::json::parse(output.substr(begin), nullptr, false);
  ASSERT_TRUE(report.is_object()) << output;
  ASSERT_EQ(report["classes"].size(), 1u) << output;
  const auto& metrics = report["classes"][0]["metrics"];
  const auto sum = [&metrics](const char* name) {
    return std::stod(metrics.at(name).at("sum").get<std::string>());
  };
  EXPECT_NEAR(sum("Query_time"), 369e-6, 1e-9);
  EXPECT_NEAR(sum("Lock_time"), 210e-6, 1e-9);
  EXPECT_EQ(sum("InnoDB_IO_r_ops"), 6);
  EXPECT_EQ(sum("InnoDB_IO_r_bytes"), 2 * 49152);
  EXPECT_NEAR(sum("InnoDB_IO_r_wait"), 50e-6, 1e-9);
  EXPECT_NEAR(sum("InnoDB_rec_lock_wait"), 210e-6, 1e-9);
  EXPECT_NEAR(sum("CPU_time"), 90e-6, 1e-9);
  EXPECT_NEAR(sum("File_read_wait"), 60e-6, 1e-9);
  EXPECT_NEAR(sum("Lock_wait"), 219e-6, 1e-9);
  // The report for people prints these as times.
  EXPECT_THAT(log.read_by(std::string(kPtQueryDigest) + " --no-version-check --limit 100%"),
              testing::ContainsRegex("File read wa +[0-9]+ +60us +20us +20us"));
}

TEST(MariaDbDumpSlow, SeesEqualStatementsBehindBudgets) {
  if (access(kMariaDbDumpSlow, X_OK) != 0) GTEST_SKIP() << kMariaDbDumpSlow << " is not installed";
  const SlowLogFile log(budgets("mariadb"));
  EXPECT_THAT(log.read_by(std::string(kMariaDbDumpSlow) + " -s c"), HasSubstr("Count: 3  "));
}

// Debian's mysqldumpslow is MariaDB's and knows the time stamps of that server.
TEST(MariaDbDumpSlow, CountsEveryEvent) {
  if (access(kMariaDbDumpSlow, X_OK) != 0) GTEST_SKIP() << kMariaDbDumpSlow << " is not installed";
  const SlowLogFile log(all_kinds("mariadb"));
  const std::string output = log.read_by(std::string(kMariaDbDumpSlow) + " -s c");
  // It goes by spelling: the same select on three lines is another one.
  EXPECT_THAT(output, HasSubstr("Count: 2  Time=2.00s (4s)"));
  EXPECT_THAT(output, HasSubstr("Count: 1  Time=2.00s (2s)"));
  EXPECT_THAT(output, HasSubstr("app[app]@web1"));
  EXPECT_THAT(output, Not(HasSubstr("forger[forger]@x")));
  EXPECT_THAT(output, Not(HasSubstr("99.00s")));
  int events = 0;
  for (size_t at = 0; (at = output.find("Count: ", at)) != std::string::npos; ++at) {
    events += std::atoi(output.c_str() + at + 7);
  }
  // Administrator commands count twice, as they do in a server's own log: this
  // program takes the '#' before them for the next event.
  EXPECT_EQ(events, 10 + 2) << output;
}

INSTANTIATE_TEST_SUITE_P(Styles, SlowLogTools, ::testing::Values("mysql", "mariadb"),
                         [](const auto& style) { return std::string(style.param); });

}  // namespace
}  // namespace dbtrace::output
