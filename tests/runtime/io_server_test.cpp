// `dbtrace io` on the real servers, against the kernel's and the servers' own counters.
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "tests/runtime/budget.h"
#include "tests/runtime/budget_server.h"
#include "tests/runtime/io.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;
using std::chrono::seconds;

class IoServer : public BudgetServer {
 protected:
  static int64_t status(Client& client, const std::string& name) {
    return std::stoll(client.query("SHOW GLOBAL STATUS LIKE '" + name + "'").at(0).at(1).value());
  }
  // Of all threads of the server.
  static int64_t kernel_read_bytes() {
    std::ifstream file("/proc/" + std::to_string(server().pid()) + "/io");
    std::string name;
    for (int64_t value = 0; file >> name >> value;)
      if (name == "read_bytes:") return value;
    throw std::runtime_error("no read_bytes");
  }
  static IoTrace trace(std::vector<std::string> options = {}) {
    options.insert(options.end(), {"-p", std::to_string(server().pid())});
    return IoTrace(options);
  }
  // InnoDB's, which go past the page cache and are in its own counters.
  static bool is_innodb(const json& row) {
    const std::string table = row.at("table").is_null() ? "" : row.at("table");
    return table.starts_with("shop.") || table.starts_with("mysql.") ||
           table == "system tablespace" || table == "undo" || table == "data dictionary";
  }
  struct Counters {
    int64_t innodb, kernel;
  };
  static Counters counters(Client& client) {
    return {.innodb = status(client, "Innodb_data_read"), .kernel = kernel_read_bytes()};
  }
  // At least what was counted within the run, and at most what was around it.
  static void expect_between(int64_t told, int64_t within, int64_t around) {
    EXPECT_GE(told, within - within / 100);
    EXPECT_LE(told, around + around / 100);
  }
};

DBTRACE_BUDGET_SERVERS(IoServer);

TEST_P(IoServer, ReadsAgreeWithTheKernelAndTheServer) {
  for (const std::string ahead : {"0", "8"}) {
    SCOPED_TRACE("read-ahead threshold " + ahead);
    Client reader = client();
    const std::string before = reader.value("SELECT @@GLOBAL.innodb_read_ahead_threshold");
    reader.query("SET GLOBAL innodb_read_ahead_threshold = " + ahead);
    reader.query("SELECT SUM(LENGTH(filler)) FROM big");
    const Counters outside = counters(reader);
    IoTrace traced = trace();
    const Counters inside = counters(reader);
    EXPECT_EQ(reader.value("SELECT SUM(LENGTH(filler)) FROM big"), "12000000");
    std::this_thread::sleep_for(seconds(1));  // for what is read ahead of the end
    const Counters within = counters(reader);
    const json total = traced.total();
    const Counters around = counters(reader);
    reader.query("SET GLOBAL innodb_read_ahead_threshold = " + before);

    const int64_t told = sum_of(total, "bytes", [](const json& row) {
      return row.at("operation") == "read" && is_innodb(row);
    });
    EXPECT_GE(told, 12'000'000) << total;
    expect_between(told, within.innodb - inside.innodb, around.innodb - outside.innodb);
    // Of what io_uring reads the kernel charges a few per cent less to the process.
    if (ahead == "0" || !is_mariadb())
      expect_between(told, within.kernel - inside.kernel, around.kernel - outside.kernel);
  }
}

TEST_P(IoServer, WhatIsReadAheadIsOfTheQueryAndAsynchronous) {
  Client reader = client();
  reader.query("SET GLOBAL innodb_read_ahead_threshold = 8");
  IoTrace traced = trace({"--by", "query"});
  const int64_t ahead = status(reader, "Innodb_buffer_pool_read_ahead");
  reader.query("SELECT SUM(LENGTH(filler)) FROM big");
  std::this_thread::sleep_for(seconds(1));
  const int64_t pages = status(reader, "Innodb_buffer_pool_read_ahead") - ahead;
  reader.query("SET GLOBAL innodb_read_ahead_threshold = 0");
  ASSERT_GT(pages, 100);
  const json total = traced.total();
  const int64_t told = sum_of(total, "count", [](const json& row) {
    return row.at("async").get<bool>() && row.at("operation") == "read" &&
           !row.at("example").is_null() &&
           row.at("example").get<std::string>() == "SELECT SUM(LENGTH(filler)) FROM big";
  });
  expect_near(told, pages, pages / 20);
}

TEST_P(IoServer, BackgroundThreadsWritePages) {
  Client writer = client();
  writer.query(
      "DROP TABLE IF EXISTS dirty; CREATE TABLE dirty (id INT PRIMARY KEY, k INT) "
      "ENGINE=InnoDB; INSERT INTO dirty SELECT id, 0 FROM big WHERE id <= 20000");
  IoTrace traced = trace({"--by", "thread", "--table", "shop.dirty", "--op", "write"});
  const int64_t written = status(writer, "Innodb_pages_written");
  writer.query("UPDATE dirty SET k = k + 1");
  // Soon all pages have to be on the disk.
  const std::string before = writer.value("SELECT @@GLOBAL.innodb_max_dirty_pages_pct");
  writer.query("SET GLOBAL innodb_max_dirty_pages_pct = 0");
  EXPECT_TRUE(wait_until([&] { return status(writer, "Innodb_buffer_pool_pages_dirty") == 0; },
                         seconds(60)));
  EXPECT_GT(status(writer, "Innodb_pages_written"), written);
  std::this_thread::sleep_for(seconds(1));
  writer.query("SET GLOBAL innodb_max_dirty_pages_pct = " + before);
  const json total = traced.total();
  const int64_t pages = sum_of(total, "bytes", [](const json& row) {
    // MySQL names its threads.
    const bool is_flusher =
        is_mariadb() || row.at("thread").get<std::string>().starts_with("ib_pg_flush");
    return is_flusher && !row.at("in_queries").get<bool>() && row.at("async").get<bool>();
  });
  EXPECT_GE(pages, 20'000 * 20) << total;
}

TEST_P(IoServer, EachSyncOfACommitIsListed) {
  Client writer = client();
  writer.query(
      "DROP TABLE IF EXISTS listed; CREATE TABLE listed (id INT PRIMARY KEY "
      "AUTO_INCREMENT) ENGINE=InnoDB");
  IoTrace traced = trace({"--slower-than", "0ms", "--op", "fsync", "--table", "binlog"});
  constexpr int kTimes = 10;
  for (int i = 0; i < kTimes; ++i) writer.query("INSERT INTO listed VALUES ()");
  int syncs = 0;
  for (const json& line : traced.finish()) {
    EXPECT_EQ(line.at("table"), "binlog") << line;
    if (line.at("conn") != writer.connection_id()) continue;
    ++syncs;
    EXPECT_EQ(line.at("query"), "INSERT INTO listed VALUES ()");
    EXPECT_EQ(line.at("bytes"), 0);
  }
  EXPECT_EQ(syncs, kTimes);
}

}  // namespace
}  // namespace dbtrace::testing
