// On real servers, each kind of slowness shows the functions that a DBA would look for.
#include <chrono>
#include <thread>

#include "tests/runtime/budget_server.h"
#include "tests/runtime/stacks.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr int64_t kMillisecond = 1'000'000;

class Stacks : public BudgetServer {
 protected:
  // MariaDB's package keeps fewer names than MySQL's.
  static std::string function(const std::string& mariadb, const std::string& mysql) {
    return is_mariadb() ? mariadb : mysql;
  }
};

DBTRACE_BUDGET_SERVERS(Stacks);

// Besides these, a sample may meet a query on its way in or out.
std::vector<json> waits_of(const json& line) {
  std::vector<json> waits;
  for (const json& stack : line.at("stacks"))
    if (stack.at("cause") != "on_cpu") waits.push_back(stack);
  return waits;
}

TEST_P(Stacks, ASleepIsOneWaitForAsLongAsItLasts) {
  Client session = client();
  StackTrace trace(server().pid());
  const std::string text = "SELECT SLEEP(0.4)";
  session.query(text);
  const json line = line_with(trace.finish(1), session, text);
  const std::vector<json> waits = waits_of(line);
  ASSERT_EQ(waits.size(), 1) << line;
  const json& stack = waits[0];
  EXPECT_EQ(stack["cause"], "sleep");
  EXPECT_EQ(stack["count"], 1);
  EXPECT_EQ(stack["whole"], true);
  EXPECT_NEAR(stack["ns"].get<double>(), static_cast<double>(ns_of(line, "sleep_ns")),
              2 * kMillisecond)
      << line;
  EXPECT_EQ(ns_in(line, "dispatch_command", "sleep"), stack["ns"]) << line;
  EXPECT_EQ(ns_in(line, "Item_func_sleep::val_int", "sleep"), stack["ns"]) << line;
  EXPECT_TRUE(stack["frames"][0]["module"].get<std::string>().starts_with("libc")) << line;
}

TEST_P(Stacks, AComputationIsSampled) {
  Client session = client();
  StackTrace trace(server().pid());
  const std::string text = "SELECT BENCHMARK(3000000, REPLACE(REVERSE('abcdefgh'), 'c', 'x'))";
  session.query(text);
  const json line = line_with(trace.finish(1), session, text);
  const int64_t sampled = ns_of_stacks(line, "on_cpu"), told = ns_of(line, "on_cpu_ns");
  ASSERT_GT(told, 100 * kMillisecond);
  // Samples are 10 ms apart, and begin with the query 10 ms old.
  EXPECT_NEAR(static_cast<double>(sampled), static_cast<double>(told),
              static_cast<double>(told) * 0.3 + 30 * kMillisecond)
      << line;
  EXPECT_GE(ns_in(line, "Item_func_benchmark::val_int"), sampled * 95 / 100) << line;
  EXPECT_GE(
      ns_in(line, function("Item_func_replace::val_str_internal", "Item_func_replace::val_str")),
      sampled / 10)
      << line;
}

TEST_P(Stacks, AScanReadsInTheStorageEngine) {
  Client session = client();
  StackTrace trace(server().pid(), {"--slower-than", "1ms"});
  const std::string text = "SELECT SUM(LENGTH(filler)) FROM big";
  session.query(text);
  const json line = line_with(trace.finish(1), session, text);
  const int64_t all = ns_of_stacks(line);
  EXPECT_GE(ns_in(line, function("sub_select", "TableScanIterator::DoRead")), all / 2) << line;
  // The smallest buffer pool reads all of it from its file.
  const int64_t reads = ns_of_stacks(line, "file_read");
  EXPECT_GT(reads, 0) << line;
  EXPECT_GE(reads, ns_of(line, "file_read_ns") * 8 / 10) << line;
  EXPECT_GE(
      ns_in(line, function("handler::ha_rnd_next", "ha_innobase::general_fetch"), "file_read"),
      reads / 2)
      << line;
}

TEST_P(Stacks, ASortSorts) {
  Client session = client();
  StackTrace trace(server().pid(), {"--slower-than", "1ms"});
  const std::string text =
      "SELECT id, filler FROM big ORDER BY REVERSE(filler), RAND(1) LIMIT 50000";
  session.query(text);
  const json line = line_with(trace.finish(1), session, text);
  EXPECT_GT(ns_in(line, "filesort"), 0) << line;
}

TEST_P(Stacks, ARowLockShowsWhoWaitsAndForWhom) {
  Client holder = client(), waiter = client();
  holder.query(
      "DROP TABLE IF EXISTS held; CREATE TABLE held (id INT PRIMARY KEY, v INT) "
      "ENGINE=InnoDB; INSERT INTO held VALUES (1, 1)");
  StackTrace trace(server().pid());
  holder.query("BEGIN; UPDATE held SET v = 2 WHERE id = 1");
  const std::string text = "UPDATE held SET v = 3 WHERE id = 1";
  std::thread waiting([&] { waiter.query(text); });
  wait_until_stuck(waiter);
  holder.query("COMMIT");
  waiting.join();
  const json line = line_with(trace.finish(1), waiter, text);
  const int64_t locked = ns_of_stacks(line, "row_lock");
  EXPECT_NEAR(static_cast<double>(locked), static_cast<double>(ns_of(line, "row_lock_ns")),
              2 * kMillisecond)
      << line;
  EXPECT_EQ(
      ns_in(line, function("mysql_update", "Sql_cmd_update::update_single_table"), "row_lock"),
      locked)
      << line;
  EXPECT_EQ(line["blocker"]["conn"], holder.connection_id()) << line;
  EXPECT_EQ(line["blocker"]["query"], "COMMIT") << line;
}

TEST_P(Stacks, ACommitWaitsForItsLogs) {
  Client session = client();
  session.query(
      "DROP TABLE IF EXISTS logged; CREATE TABLE logged (id INT PRIMARY KEY "
      "AUTO_INCREMENT, filler CHAR(200)) ENGINE=InnoDB");
  StackTrace trace(server().pid(), {"--slower-than", "1us"});
  const std::string text = "INSERT INTO logged (filler) VALUES ('x')";
  constexpr int kTimes = 20;
  for (int i = 0; i < kTimes; ++i) session.query(text);
  int64_t synced = 0, in_commit = 0, told = 0;
  for (const json& line : trace.finish(kTimes)) {
    synced += ns_of_stacks(line, "fsync");
    in_commit += ns_in(line, function("ha_commit_trans", "ha_commit_low"), "fsync") +
                 ns_in(line,
                       function("MYSQL_BIN_LOG::write_transaction_to_binlog",
                                "MYSQL_BIN_LOG::ordered_commit"),
                       "fsync");
    told += ns_of(line, "fsync_ns");
  }
  EXPECT_GT(synced, 0);
  EXPECT_GE(synced, told * 8 / 10);
  EXPECT_GE(in_commit, synced * 8 / 10);
}

TEST_P(Stacks, AreMergedByKind) {
  Client session = client();
  StackTrace trace(server().pid(), {"--by", "fingerprint"});
  for (const char* seconds : {"0.12", "0.13", "0.14"})
    session.query(std::string("SELECT SLEEP(") + seconds + ")");
  std::this_thread::sleep_for(milliseconds(300));
  const std::vector<json> kinds = trace.finish(0);
  ASSERT_EQ(kinds.size(), 1);
  EXPECT_EQ(kinds[0]["query"], "SELECT `SLEEP` (?)");
  EXPECT_EQ(kinds[0]["queries"], 3);
  const std::vector<json> waits = waits_of(kinds[0]);
  ASSERT_EQ(waits.size(), 1) << kinds[0];
  EXPECT_EQ(waits[0]["count"], 3);
  EXPECT_NEAR(waits[0]["ns"].get<double>(), 390 * kMillisecond, 30 * kMillisecond);
}

TEST_P(Stacks, BeginWhereAsked) {
  Client session = client();
  StackTrace trace(server().pid(), {"--begin-at", "dispatch_command"});
  const std::string text = "SELECT SLEEP(0.2)";
  session.query(text);
  const json line = line_with(trace.finish(1), session, text);
  ASSERT_FALSE(line["stacks"].empty()) << line;
  EXPECT_EQ(names_of(line["stacks"][0]).front(), "dispatch_command") << line;
}

TEST_P(Stacks, OfFastQueriesAreNotTaken) {
  Client session = client();
  StackTrace trace(server().pid(), {"--slower-than", "5s"});
  for (int i = 0; i < 2000; ++i) session.query("SELECT id FROM big WHERE id = 7");
  EXPECT_TRUE(trace.finish(0).empty());
}

TEST_P(Stacks, OfWhatRunsAreToldBeforeItEnds) {
  Client session = client();
  DbtraceProcess process({"stacks", "-p", std::to_string(server().pid()), "--format", "json",
                          "--running", "--duration", "2s"});
  process.wait_until_attached(std::chrono::seconds(120));
  std::thread sleeping([&] { session.query("SELECT SLEEP(4)"); });
  EXPECT_EQ(process.wait(), 0) << process.errors();
  const std::vector<json> lines = process.queries();
  sleeping.join();
  ASSERT_EQ(lines.size(), 1) << process.errors();
  EXPECT_EQ(lines[0]["running"], true);
  EXPECT_GT(ns_in(lines[0], "Item_func_sleep::val_int", "sleep"), 1000 * kMillisecond) << lines[0];
}

// Stuck before anybody looked: found in the server's memory.
TEST_P(Stacks, OfWhatRanBeforeAreTold) {
  Client session = client();
  std::thread sleeping([&] { session.query("SELECT SLEEP(5)"); });
  std::this_thread::sleep_for(milliseconds(500));
  const DbtraceResult result = run_dbtrace({"stacks", "-p", std::to_string(server().pid()),
                                            "--format", "json", "--running", "--duration", "1s"});
  sleeping.join();
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  ASSERT_FALSE(result.output.empty()) << result.errors;
  const json line = json::parse(result.output.substr(0, result.output.find('\n')));
  EXPECT_EQ(line["query"], "SELECT SLEEP(5)");
  // What it waits for was said before anybody listened.
  EXPECT_GT(ns_in(line, "Item_func_sleep::val_int"), 500 * kMillisecond) << line;
}

TEST_P(Stacks, StandBelowTheirQuery) {
  Client session = client();
  DbtraceProcess process(
      {"queries", "-p", std::to_string(server().pid()), "--slower-than", "100ms", "--stacks"});
  process.wait_until_attached(std::chrono::seconds(120));
  session.query("SELECT SLEEP(2)");
  EXPECT_TRUE(process.wait_for_lines(4));
  EXPECT_EQ(process.stop(), 0) << process.errors();
  EXPECT_NE(process.output().find("SELECT SLEEP(2)\n"), std::string::npos) << process.output();
  EXPECT_NE(process.output().find(" sleep "), std::string::npos) << process.output();
  EXPECT_NE(process.output().find("← Item_func_sleep::val_int ←"), std::string::npos)
      << process.output();
}

TEST_P(Stacks, AreDrawn) {
  for (const char* format : {"folded", "speedscope", "svg", "html", "text"}) {
    Client session = client();
    DbtraceProcess process({"stacks", "-p", std::to_string(server().pid()), "--format", format});
    process.wait_until_attached(std::chrono::seconds(120));
    session.query("SELECT SLEEP(0.15)");
    std::this_thread::sleep_for(milliseconds(300));
    EXPECT_EQ(process.stop(), 0) << process.errors();
    EXPECT_NE(process.output().find("Item_func_sleep::val_int"), std::string::npos) << format;
    EXPECT_NE(process.output().find("SLEEP(0.15)"), std::string::npos) << format;
  }
}

TEST_P(Stacks, WhatIsLostIsSaid) {
  Client session = client();
  StackTrace trace(server().pid(),
                   {"--slower-than", "0ms", "--stacks-per-second", "10", "--frequency", "999"});
  session.query("SELECT BENCHMARK(3000000, REPLACE(REVERSE('abcdefgh'), 'c', 'x'))");
  static_cast<void>(trace.finish(1));
  EXPECT_NE(trace.errors().find("stacks not taken"), std::string::npos) << trace.errors();
}

}  // namespace
}  // namespace dbtrace::testing
