// What queries do with files on the real servers, against the kernel's and the
// servers' own counters.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/runtime/budget.h"
#include "tests/runtime/budget_server.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;

class BudgetServerIo : public BudgetServer {
 protected:
  static int64_t status(Client& client, const std::string& name) {
    return std::stoll(client.query("SHOW GLOBAL STATUS LIKE '" + name + "'").at(0).at(1).value());
  }
  // What the query's files hold.
  static std::set<std::string> tables_of(const json& line) {
    std::set<std::string> tables;
    for (const json& file : line.at("io").at("files")) tables.insert(file.at("table"));
    return tables;
  }
  static json file_of(const json& line, const std::string& table) {
    for (const json& file : line.at("io").at("files"))
      if (file.at("table") == table) return file;
    ADD_FAILURE() << "nothing of " << table << " in " << line;
    return json::object();
  }
};

DBTRACE_BUDGET_SERVERS(BudgetServerIo);

TEST_P(BudgetServerIo, ScanReadsWhatTheKernelAndTheServerCount) {
  Client reader = client(), observer = client();
  BudgetTrace trace(server());
  const pid_t thread = trace.thread_of(reader);

  // The server counts what its background threads read, too, which is the more the shorter
  // ago the table was filled: until one scan was alone, as the kernel says.
  constexpr int kScans = 20;
  std::string scan;
  int64_t server_read = 0;
  std::map<std::string, int64_t> kernel_before, kernel_after;
  int scans = 0;
  do {
    scan = "SELECT SUM(LENGTH(filler)) FROM big LIMIT " + std::to_string(++scans);
    const int64_t server_before = status(observer, "Innodb_data_read");
    kernel_before = thread_counters(server().pid(), thread);
    EXPECT_EQ(reader.value(scan), "12000000");
    kernel_after = thread_counters(server().pid(), thread);
    server_read = status(observer, "Innodb_data_read") - server_before;
  } while (server_read > (kernel_after["rchar"] - kernel_before["rchar"]) * 101 / 100 &&
           scans < kScans);
  const json line = line_with(trace.finish(static_cast<size_t>(scans)), reader, scan);

  const json& io = line["io"];
  const int64_t told = io["read_bytes"],
                characters = kernel_after["rchar"] - kernel_before["rchar"];
  EXPECT_GE(told, 12'000'000) << line;
  expect_near(told, characters, 1'000);
  expect_near(told, server_read, told / 50);
  EXPECT_EQ(io["reads"], kernel_after["syscr"] - kernel_before["syscr"]) << line;
  // O_DIRECT: each read asks the device, and most wait for it.
  expect_near(told, kernel_after["read_bytes"] - kernel_before["read_bytes"], told / 50);
  const int64_t switches =
      kernel_after["voluntary_ctxt_switches"] - kernel_before["voluntary_ctxt_switches"];
  expect_near(io["reads_blocked"], switches, switches / 10 + 5);
  EXPECT_GT(ns_of(line, "file_read_ns"), 0);
  EXPECT_LE(ns_of(line, "file_read_ns"), io["read_ns"].get<int64_t>());

  const json file = file_of(line, "shop.big");
  EXPECT_EQ(file["file"], "big.ibd");
  EXPECT_GE(file["read_bytes"].get<int64_t>(), told * 98 / 100);
  EXPECT_EQ(io["read_max_table"], "shop.big");
}

TEST_P(BudgetServerIo, ReadsOfAnotherEngineAreOfItsTables) {
  Client reader = client();
  reader.query(
      "DROP TABLE IF EXISTS isam; CREATE TABLE isam (filler CHAR(200)) ENGINE=MyISAM; "
      "INSERT INTO isam SELECT filler FROM big LIMIT 20000; FLUSH TABLES isam");
  BudgetTrace trace(server());
  const std::string scan = "SELECT COUNT(DISTINCT LEFT(filler, 3)) FROM isam";
  reader.query(scan);
  const json line = line_with(trace.finish(1), reader, scan);
  EXPECT_GE(file_of(line, "shop.isam")["read_bytes"].get<int64_t>(), 20'000 * 200) << line;
}

TEST_P(BudgetServerIo, ReadsOfPartitionsAreOfTheTable) {
  Client reader = client();
  reader.query(
      "DROP TABLE IF EXISTS parted; CREATE TABLE parted (id INT PRIMARY KEY, filler "
      "CHAR(200)) ENGINE=InnoDB PARTITION BY HASH (id) PARTITIONS 3; "
      "INSERT INTO parted SELECT id, filler FROM big WHERE id <= 30000");
  // Pushes most of the table out of memory; how much of it stays is the server's affair.
  reader.query("SELECT SUM(LENGTH(filler)) FROM big");
  BudgetTrace trace(server());
  const pid_t thread = trace.thread_of(reader);
  const std::string scan = "SELECT SUM(LENGTH(filler)) FROM parted";
  auto kernel_before = thread_counters(server().pid(), thread);
  reader.query(scan);
  auto kernel_after = thread_counters(server().pid(), thread);
  const int64_t characters = kernel_after["rchar"] - kernel_before["rchar"];
  ASSERT_GE(characters, 1'000'000);
  const json line = line_with(trace.finish(2), reader, scan);
  int64_t bytes = 0;
  for (const std::string partition : {"p0", "p1", "p2"}) {
    const json file = file_of(line, "shop.parted (partition " + partition + ")");
    bytes += file["read_bytes"].get<int64_t>();
  }
  expect_near(bytes, characters, characters / 20);
}

TEST_P(BudgetServerIo, ReadsOfTemporaryTablesAreTold) {
  Client reader = client();
  reader.query(
      "CREATE TEMPORARY TABLE scratch ENGINE=MyISAM AS SELECT filler FROM big LIMIT 20000");
  BudgetTrace trace(server());
  const std::string scan = "SELECT COUNT(DISTINCT LEFT(filler, 3)) FROM scratch";
  reader.query(scan);
  const json line = line_with(trace.finish(1), reader, scan);
  const json file = file_of(line, "temporary table");
  EXPECT_GE(file["read_bytes"].get<int64_t>(), 20'000 * 200) << line;
  EXPECT_TRUE(file["file"].get<std::string>().starts_with("#sql")) << line;
}

TEST_P(BudgetServerIo, CommitWritesAndSyncsTheLogs) {
  Client writer = client();
  writer.query(
      "DROP TABLE IF EXISTS written; CREATE TABLE written (id INT PRIMARY KEY "
      "AUTO_INCREMENT, filler CHAR(200)) ENGINE=InnoDB");
  BudgetTrace trace(server());
  const std::string text = "INSERT INTO written (filler) VALUES ('x')";
  constexpr int kTimes = 20;
  for (int i = 0; i < kTimes; ++i) writer.query(text);
  std::set<std::string> tables;
  int64_t fsyncs = 0;
  for (const json& line : trace.finish(kTimes)) {
    tables.merge(tables_of(line));
    fsyncs += line["io"]["fsyncs"].get<int64_t>();
  }
  EXPECT_TRUE(tables.contains("binlog")) << ::testing::PrintToString(tables);
  EXPECT_GE(fsyncs, kTimes);
  // MySQL may write its redo log on threads of its own.
  EXPECT_TRUE(tables.contains("redo") || !is_mariadb()) << ::testing::PrintToString(tables);
}

TEST_P(BudgetServerIo, IsTheSameWhicheverWayItIsSeen) {
  Client client = BudgetServer::client();
  client.query(
      "DROP TABLE IF EXISTS same; CREATE TABLE same (filler CHAR(200)) ENGINE=MyISAM; "
      "INSERT INTO same SELECT filler FROM big LIMIT 5000; "
      "UPDATE same SET filler = '0' LIMIT 500");
  const std::string scan = "SELECT COUNT(DISTINCT LEFT(filler, 3)) FROM same";
  std::set<std::string> counts;
  char filler = '1';  // in place of another, so that each update writes the same
  for (const char* way : kWaysToSeeFiles) {
    if (!can_see_files(way)) continue;
    const std::string update = std::string("UPDATE same SET filler = '") + filler++ + "' LIMIT 500";
    client.query("FLUSH TABLES same");
    BudgetTrace trace(server(), {"--file-io", way});
    const pid_t thread = trace.thread_of(client);
    auto before = thread_counters(server().pid(), thread);
    client.query(scan);
    client.query(update);
    auto after = thread_counters(server().pid(), thread);

    std::map<std::string, int64_t> sum;
    const std::vector<json> lines = trace.finish(3);
    for (const std::string& text : {scan, update}) {
      const json line = line_with(lines, client, text);
      const json& io = line.at("io");
      counts.insert(text.substr(0, 6) + ' ' + io.at("reads").dump() + ' ' +
                    io.at("read_bytes").dump() + ' ' + io.at("writes").dump() + ' ' +
                    io.at("write_bytes").dump() + ' ' + io.at("fsyncs").dump());
      for (const char* name : {"reads", "read_bytes", "writes", "write_bytes"})
        sum[name] += io.at(name).get<int64_t>();
      EXPECT_LE(ns_of(line, "file_read_ns"), io.at("read_ns").get<int64_t>()) << line;
      EXPECT_LE(ns_of(line, "file_write_ns"), io.at("write_ns").get<int64_t>()) << line;
      EXPECT_LE(ns_of(line, "fsync_ns"), io.at("fsync_ns").get<int64_t>()) << line;
      EXPECT_LE(io.at("read_ns").get<int64_t>() + io.at("write_ns").get<int64_t>() +
                    io.at("fsync_ns").get<int64_t>(),
                line.at("duration_ns").get<int64_t>())
          << line;
    }
    EXPECT_EQ(sum["reads"], after["syscr"] - before["syscr"]) << way;
    EXPECT_EQ(sum["read_bytes"], after["rchar"] - before["rchar"]) << way;
    EXPECT_EQ(sum["writes"], after["syscw"] - before["syscw"]) << way;
    EXPECT_EQ(sum["write_bytes"], after["wchar"] - before["wchar"]) << way;
    EXPECT_GE(sum["read_bytes"], 5'000 * 200);
    EXPECT_GE(sum["writes"], 1);
  }
  // One of the scan and one of the update.
  EXPECT_EQ(counts.size(), 2u) << ::testing::PrintToString(counts);
}

}  // namespace
}  // namespace dbtrace::testing
