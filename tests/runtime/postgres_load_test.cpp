// Counts, durations and query ids under load, held against what the server itself counted and
// logged of the same run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "tests/runtime/command.h"
#include "tests/runtime/postgres_trace.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;

constexpr size_t kClients = 4;
constexpr size_t kTransactions = 300;

class PostgresLoad : public OnPostgres {
 protected:
  void SetUp() override {
    OnPostgres::SetUp();
    if (IsSkipped()) return;
    PgClient client(server());
    if (client.must("select to_regclass('pgbench_accounts') is null") == "t") {
      const DbtraceResult made = pgbench({"-i", "-q", "-s", "1"});
      ASSERT_EQ(made.exit_code, 0) << made.errors;
    }
  }

  static DbtraceResult pgbench(const std::vector<std::string>& arguments) {
    std::vector<std::string> command = {"/usr/bin/pgbench", "-h", server().socket_folder(), "-U",
                                        "postgres"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    command.push_back("postgres");
    return run_command(command);
  }

  static std::vector<json> traced_pgbench(const std::string& mode, const std::string& script,
                                          size_t queries) {
    PostgresTrace trace(server());
    std::vector<std::string> arguments = {
        "-n", "-M", mode, "-c", std::to_string(kClients), "-t", std::to_string(kTransactions)};
    if (!script.empty()) arguments.push_back(script);
    const DbtraceResult run = pgbench(arguments);
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    return trace.finish(queries);
  }
};

bool is_select(const json& line) {
  return line.at("query").is_string() &&
         line.at("query").get<std::string>().starts_with("SELECT abalance FROM pgbench_accounts");
}

TEST_P(PostgresLoad, PgbenchInItsThreeModesIsCountedAsTheServerCounts) {
  PgClient client(server());
  for (const char* mode : {"simple", "extended", "prepared"}) {
    client.must("select pg_stat_statements_reset()");
    const auto lines = traced_pgbench(mode, "-S", kClients * kTransactions);
    std::map<int64_t, size_t> by_id;
    size_t rows = 0;
    for (const json& line : lines) {
      if (!is_select(line)) continue;
      EXPECT_EQ(line.at("command"), std::string(mode) == "simple" ? "Query" : "Execute");
      EXPECT_EQ(line.at("error"), 0);
      ++by_id[line.value("query_id", int64_t{0})];
      rows += line.at("rows_sent").get<size_t>();
    }
    ASSERT_EQ(by_id.size(), 1u) << mode;
    EXPECT_EQ(by_id.begin()->second, kClients * kTransactions) << mode;
    EXPECT_EQ(rows, kClients * kTransactions) << mode;
    EXPECT_EQ(
        client.must("select calls || ' ' || rows from pg_stat_statements where queryid = " +
                    std::to_string(by_id.begin()->first)),
        std::to_string(kClients * kTransactions) + " " + std::to_string(kClients * kTransactions))
        << mode;
  }
}

TEST_P(PostgresLoad, TransactionsOfSeveralStatements) {
  PgClient client(server());
  client.must("select pg_stat_statements_reset()");
  const auto lines = traced_pgbench("prepared", "", 7 * kClients * kTransactions);
  std::map<int64_t, size_t> by_id;
  for (const json& line : lines)
    if (line.at("command") == "Execute" && line.contains("query_id"))
      ++by_id[line.at("query_id").get<int64_t>()];
  EXPECT_GE(by_id.size(), 5u);
  for (const auto& [id, count] : by_id)
    EXPECT_EQ(client.must("select sum(calls) from pg_stat_statements where queryid = " +
                          std::to_string(id)),
              std::to_string(count))
        << id;
}

// Milliseconds that the server's log has for a session's commands, in their order; those of bind
// count for the execute that follows.
std::map<pid_t, std::vector<double>> logged(const std::string& log) {
  std::map<pid_t, std::vector<double>> durations;
  std::map<pid_t, double> bound;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const size_t pid_at = line.find(" ["), at = line.find("LOG:  duration: ");
    if (pid_at == std::string::npos || at == std::string::npos ||
        line.find("SELECT abalance") == std::string::npos)
      continue;
    const pid_t pid = std::stoi(line.substr(pid_at + 2));
    const double ms = std::stod(line.substr(at + 16));
    if (line.find(" ms  parse ") != std::string::npos) continue;
    if (line.find(" ms  bind ") != std::string::npos) {
      bound[pid] = ms;
      continue;
    }
    durations[pid].push_back(ms + std::exchange(bound[pid], 0.0));
  }
  return durations;
}

TEST_P(PostgresLoad, DurationsAreThoseOfTheServersLog) {
  for (const char* mode : {"simple", "prepared"}) {
    const size_t before = server().log().size();
    const auto lines = traced_pgbench(mode, "-S", kClients * kTransactions);
    const auto expected = logged(server().log().substr(before));
    std::map<pid_t, std::vector<double>> told;
    for (const json& line : lines)
      if (is_select(line))
        told[line.at("pid").get<pid_t>()].push_back(line.at("duration_ns").get<double>() / 1e6);
    ASSERT_EQ(told.size(), kClients);
    std::vector<double> differences;
    for (const auto& [pid, durations] : told) {
      const auto log = expected.find(pid);
      ASSERT_NE(log, expected.end());
      ASSERT_EQ(log->second.size(), durations.size());
      for (size_t i = 0; i < durations.size(); ++i)
        differences.push_back(std::abs(durations[i] - log->second[i]));
    }
    std::ranges::sort(differences);
    const double median = differences[differences.size() / 2];
    EXPECT_LT(median, 0.2) << mode;
    EXPECT_LT(differences[differences.size() * 9 / 10], 5.0) << mode;
    RecordProperty(std::string("median_difference_us_") + mode,
                   std::to_string(static_cast<int>(median * 1000)));
    std::printf("%s: median difference %.1f us, 90%% within %.1f us\n", mode, median * 1000,
                differences[differences.size() * 9 / 10] * 1000);
  }
}

TEST_P(PostgresLoad, PgBadgerReadsTheLog) {
  if (run_command({"/usr/bin/pgbadger", "--version"}).exit_code != 0)
    GTEST_SKIP() << "pgbadger is not installed";
  PgClient client(server());
  TemporaryFolder folder;
  const std::string log = folder.path() / "pg.log", report = folder.path() / "out.json";
  DbtraceProcess dbtrace(
      {"queries", "-p", std::to_string(server().pid()), "--format", "pglog", "-o", log});
  dbtrace.wait_until_attached();
  for (int i = 0; i < 10; ++i) client.query("select " + std::to_string(i) + " as\n\tten");
  client.query("select nosuch");
  EXPECT_TRUE(wait_until([&] { return read_file(log).find("nosuch") != std::string::npos; },
                         std::chrono::seconds(10)));
  EXPECT_EQ(dbtrace.stop(), 0);
  const DbtraceResult badger =
      run_command({"/usr/bin/pgbadger", "-q", "-f", "stderr", "-p",
                   "%m [%p]: user=%u,db=%d,app=%a,client=%h ", "-x", "json", "-o", report, log});
  ASSERT_EQ(badger.exit_code, 0) << badger.errors << badger.output;
  const json parsed = json::parse(read_file(report));
  EXPECT_EQ(parsed.at("overall_stat").at("postgres").at("queries_number"), 10) << read_file(log);
  EXPECT_EQ(parsed.at("overall_stat").at("postgres").at("errors_number"), 1) << read_file(log);
}

TEST_P(PostgresLoad, HasNoSlowLog) {
  const DbtraceResult result =
      run_dbtrace({"queries", "-p", std::to_string(server().pid()), "--format", "slowlog"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.errors, "dbtrace: --format slowlog is not for PostgreSQL (pid " +
                               std::to_string(server().pid()) + ")\n  --format pglog is\n");
}

DBTRACE_EACH_POSTGRES(PostgresLoad);
DBTRACE_OTHER_POSTGRES_SINCE(16, PostgresLoad);

}  // namespace
}  // namespace dbtrace::testing
