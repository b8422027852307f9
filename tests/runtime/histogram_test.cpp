// What `dbtrace histogram` counts is what the server's own digests count, and its
// percentiles are those of the raw log and of the server's clock.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/truth.h"

namespace dbtrace::testing {
namespace {

using std::chrono::milliseconds;

// Clients have their answer before the server is done with a command.
void let_servers_finish() { std::this_thread::sleep_for(milliseconds(300)); }

// The run's report, which is the last line.
nlohmann::json total_of(const DbtraceProcess& process) { return process.queries().back(); }

// Kinds of the tests have a name of their own in their text: "kind_7".
std::string name_in(const std::string& text) {
  static const std::regex name("kind_[0-9]+");
  std::smatch found;
  return std::regex_search(text, found, name) ? found.str() : "";
}

struct Counts {
  uint64_t count = 0, errors = 0, rows = 0;
  friend bool operator==(const Counts&, const Counts&) = default;
  friend void PrintTo(const Counts& counts, std::ostream* out) {
    *out << counts.count << " with " << counts.errors << " errors, " << counts.rows << " rows";
  }
};
using CountsByName = std::map<std::string, Counts>;

CountsByName by_name(const nlohmann::json& report) {
  CountsByName counts;
  for (const nlohmann::json& kind : report.at("kinds")) {
    const std::string name = name_in(kind.at("text"));
    if (name.empty()) continue;
    EXPECT_FALSE(counts.contains(name)) << "two kinds: " << kind.at("text");
    counts[name] = {kind.at("count"), kind.at("errors"),
                    kind.at("rows_sent").is_null() ? 0 : kind.at("rows_sent").get<uint64_t>()};
  }
  return counts;
}

CountsByName digests_of(Client& client) {
  CountsByName counts;
  for (const Row& row :
       client.query("SELECT digest_text, SUM(count_star), SUM(sum_errors), SUM(sum_rows_sent) FROM "
                    "performance_schema.events_statements_summary_by_digest WHERE digest_text LIKE "
                    "'%kind\\_%' GROUP BY digest_text"))
    counts[name_in(row.at(0).value())] = {std::stoull(row.at(1).value()),
                                          std::stoull(row.at(2).value()),
                                          std::stoull(row.at(3).value())};
  return counts;
}

// Started at first use, ended with the program.
Server& server_with_digests(Flavor flavor) {
  static std::map<Flavor, std::unique_ptr<Server>> servers;
  std::unique_ptr<Server>& server = servers[flavor];
  if (server) return *server;
  server = std::make_unique<Server>(ServerOptions{
      .flavor = flavor,
      .arguments = {"--performance-schema=ON",
                    "--performance-schema-events-statements-history-long-size=20000",
                    "--performance-schema-consumer-events-statements-current=ON",
                    "--performance-schema-consumer-events-statements-history-long=ON"}});
  furnish(*server);
  return *server;
}

std::vector<std::string> histogram(const Server& server,
                                   const std::vector<std::string>& arguments = {}) {
  std::vector<std::string> all = {"histogram", "-p", std::to_string(server.pid()), "--format",
                                  "json"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

// Where queries are added up.
class Counting : public ::testing::TestWithParam<std::tuple<Flavor, const char*>> {
 protected:
  void SetUp() override {
    if (const auto reason = why_unavailable(flavor())) GTEST_SKIP() << *reason;
  }
  [[nodiscard]] static Flavor flavor() { return std::get<0>(GetParam()); }
  [[nodiscard]] static std::string where() { return std::get<1>(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Each, Counting,
                         ::testing::Combine(::testing::Values(Flavor::MariaDb, Flavor::MySql),
                                            ::testing::Values("kernel", "user")),
                         [](const auto& each) {
                           return std::string(flavor_name(std::get<0>(each.param))) + "_" +
                                  std::get<1>(each.param);
                         });

TEST_P(Counting, IsThatOfTheServersDigests) {
  Server& server = server_with_digests(flavor());
  Client root({.socket = server.socket()});
  root.query("TRUNCATE performance_schema.events_statements_summary_by_digest");
  // A database for each thread: the server's digests are by database, and two threads that count
  // the same one at the same time may lose a count (they add without a lock).
  const std::array<std::string, 3> databases{"shop", "depot", "yard"};
  root.query("CREATE DATABASE IF NOT EXISTS yard");
  root.query("CREATE TABLE IF NOT EXISTS yard.numbers AS SELECT * FROM shop.numbers");
  DbtraceProcess process(histogram(server, {"--count-in", where()}));
  process.wait_until_attached();

  constexpr int kThreads = databases.size(), kRounds = 100;
  std::vector<std::thread> threads;
  for (const std::string& database : databases)
    threads.emplace_back([&server, &database] {
      Client client({.socket = server.socket(), .database = database});
      Statement prepared =
          client.prepare("SELECT square kind_1 FROM numbers WHERE id = ? -- prepared");
      for (int round = 0; round < kRounds; ++round) {
        const std::string number = std::to_string(round);
        prepared.execute({int64_t{round}});
        client.query("SELECT id kind_2 FROM numbers WHERE id < " + number);
        client.query("SELECT id  kind_2 FROM numbers /* " + number + " */ WHERE id < " + number);
        client.query("SELECT 'it''s " + number + "' kind_3");
        client.query("UPDATE numbers kind_4 SET square = square WHERE id IN (" + number + ", 5)");
        client.error_of("SELECT * FROM kind_5 WHERE a = " + number);
        if (round % 10 == 0) client.error_of("SELECT kind_6 FROM numbers LIMIT " + number);
      }
    });
  for (std::thread& thread : threads) thread.join();
  let_servers_finish();
  ASSERT_EQ(process.stop(), 0) << process.errors();

  const nlohmann::json report = total_of(process);
  EXPECT_EQ(report.at("lost"), 0);
  CountsByName ours = by_name(report), theirs = digests_of(root);
  // The server has no digests of prepared statements that are executed.
  EXPECT_EQ(ours["kind_1"].count, kThreads * (kRounds + 1U));
  ours.erase("kind_1");
  theirs.erase("kind_1");
  EXPECT_EQ(ours["kind_2"].count, 2U * kThreads * kRounds);
  EXPECT_EQ(ours["kind_5"].errors, 1U * kThreads * kRounds);
  EXPECT_EQ(ours, theirs);
  const Summary summary = summary_of(process.errors());
  EXPECT_EQ(summary.lost, 0U);
}

// Many texts and kinds at once, also at different lengths.
TEST_P(Counting, IsBoundedByMaxKinds) {
  Server& server = shared_server(flavor());
  DbtraceProcess process(histogram(server, {"--count-in", where(), "--max-kinds", "10"}));
  process.wait_until_attached();
  Client client({.socket = server.socket()});
  for (int i = 0; i < 50; ++i)
    for (int times = 0; times < 3; ++times) client.query("SELECT 1 kind_" + std::to_string(i));
  let_servers_finish();
  ASSERT_EQ(process.stop(), 0) << process.errors();
  const nlohmann::json report = total_of(process);
  ASSERT_EQ(report.at("kinds").size(), 11U);
  EXPECT_EQ(report.at("kinds").back().at("id"), "other");
  EXPECT_EQ(report.at("kinds").back().at("count"), 120);
  EXPECT_EQ(report.at("count"), 150);
}

uint64_t exact_quantile(std::vector<uint64_t> values, double fraction) {
  std::ranges::sort(values);
  const auto rank = static_cast<size_t>(std::ceil(fraction * static_cast<double>(values.size())));
  return values.at(std::max<size_t>(rank, 1) - 1);
}

// Two tracers and the server's own clock do not stop at the same moment.
void expect_quantiles(const nlohmann::json& kind, const std::vector<uint64_t>& exact) {
  constexpr double kApart_ns = 500'000;
  for (const auto& [name, fraction] :
       std::map<std::string, double>{{"p50_ns", 0.5}, {"p95_ns", 0.95}, {"p99_ns", 0.99}}) {
    const auto real = static_cast<double>(exact_quantile(exact, fraction));
    EXPECT_NEAR(kind.at(name).get<double>(), real, 0.03 * real + kApart_ns) << name;
  }
}

TEST_P(Counting, HasThePercentilesOfTheRawLogAndOfTheServer) {
  Server& server = server_with_digests(flavor());
  Client client({.socket = server.socket()});
  client.query("TRUNCATE performance_schema.events_statements_history_long");
  DbtraceProcess process(histogram(server, {"--count-in", where()}));
  DbtraceProcess log({"queries", "-p", std::to_string(server.pid()), "--format", "json"});
  process.wait_until_attached();
  log.wait_until_attached();
  constexpr size_t kQueries = 200;
  for (size_t i = 0; i < kQueries; ++i)  // 1 to 40 ms
    client.query("SELECT SLEEP(" + std::to_string(0.001 + 0.00000098 * static_cast<double>(i * i)) +
                 ") kind_1");
  let_servers_finish();
  ASSERT_EQ(process.stop(), 0) << process.errors();
  ASSERT_EQ(log.stop(), 0) << log.errors();

  std::vector<uint64_t> logged, clocked;
  for (const nlohmann::json& line : log.queries())
    if (line.at("query").get<std::string>().find("kind_1") != std::string::npos)
      logged.push_back(line.at("duration_ns"));
  for (const Row& row : client.query("SELECT timer_wait DIV 1000 FROM "
                                     "performance_schema.events_statements_history_long "
                                     "WHERE sql_text LIKE 'SELECT SLEEP(%'"))
    clocked.push_back(std::stoull(row.at(0).value()));
  ASSERT_EQ(logged.size(), kQueries);
  ASSERT_EQ(clocked.size(), kQueries);
  const nlohmann::json report = total_of(process);
  ASSERT_EQ(report.at("kinds").size(), 1U) << report;
  const nlohmann::json& kind = report.at("kinds")[0];
  EXPECT_EQ(kind.at("count"), kQueries);
  expect_quantiles(kind, logged);
  expect_quantiles(kind, clocked);
}

// ---- other groupings ----

class Groups : public Truth {
 protected:
  // The counts by the kinds' texts.
  static std::map<std::string, uint64_t> counted(const std::vector<std::string>& arguments) {
    DbtraceProcess process(histogram(server(), arguments));
    process.wait_until_attached();
    Client anna = client("anna", "shop"), bert = client("bert", "depot");
    for (int i = 0; i < 5; ++i) anna.query("SELECT id FROM numbers WHERE id = 1");
    for (int i = 0; i < 3; ++i)
      bert.query("SELECT a.id FROM numbers a JOIN shop.numbers b ON a.id = b.id WHERE a.id < 4");
    Statement statement = bert.prepare("SELECT 1 FROM numbers WHERE id = ?");
    for (int i = 0; i < 2; ++i) statement.execute({int64_t{i}});
    let_servers_finish();
    EXPECT_EQ(process.stop(), 0) << process.errors();
    std::map<std::string, uint64_t> counts;
    const nlohmann::json report = total_of(process);
    for (const nlohmann::json& kind : report.at("kinds"))
      counts[kind.at("text")] = kind.at("count");
    return counts;
  }
  using Map = std::map<std::string, uint64_t>;
};
DBTRACE_EACH_FLAVOR(Groups);

TEST_P(Groups, ByUser) { EXPECT_EQ(counted({"--by", "user"}), (Map{{"anna", 5}, {"bert", 6}})); }
TEST_P(Groups, ByDatabase) { EXPECT_EQ(counted({"--by", "db"}), (Map{{"shop", 5}, {"depot", 6}})); }
TEST_P(Groups, ByCommand) {
  EXPECT_EQ(counted({"--by", "command"}), (Map{{"Query", 8}, {"Prepare", 1}, {"Execute", 2}}));
}
TEST_P(Groups, ByTable) {
  EXPECT_EQ(counted({"--by", "table"}), (Map{{"shop.numbers", 8}, {"depot.numbers", 6}}));
}
TEST_P(Groups, WithFilters) {
  EXPECT_EQ(counted({"--by", "db", "--user", "bert", "--command", "query"}), (Map{{"depot", 3}}));
}

TEST_P(Groups, WhatTheKernelCannotCountIsRefused) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--user", "anna"}, std::vector<std::string>{"--by", "user"}}) {
    std::vector<std::string> all = histogram(server(), {"--count-in", "kernel"});
    all.insert(all.end(), arguments.begin(), arguments.end());
    const DbtraceResult result = run_dbtrace(all);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.errors.find("the kernel cannot count here"), std::string::npos);
  }
}

}  // namespace
}  // namespace dbtrace::testing
