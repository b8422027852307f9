#include "tests/runtime/budget_server.h"

#include <signal.h>

#include <array>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>
#include <utility>

#include "tests/runtime/budget.h"

namespace dbtrace::testing {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

void fill(const Server& server) {
  furnish(server);
  Client root({.socket = server.socket(), .database = "shop"});
  root.query(
      "CREATE TABLE big (id INT PRIMARY KEY AUTO_INCREMENT, filler CHAR(200) NOT NULL) "
      "ENGINE=InnoDB DEFAULT CHARSET=latin1");
  root.query(
      "INSERT INTO big (filler) SELECT REPEAT('x', 200) FROM numbers a, numbers b, "
      "(SELECT id FROM numbers LIMIT 6) c");
}

}  // namespace

Server& BudgetServer::server() {
  static std::array<std::unique_ptr<Server>, kFlavors> servers;
  std::unique_ptr<Server>& server = servers.at(static_cast<size_t>(flavor()));
  if (!server) {
    server = std::make_unique<Server>(ServerOptions{
        .flavor = flavor(),
        .arguments = {
            is_mariadb() ? "--innodb-buffer-pool-size=6M" : "--innodb-buffer-pool-size=5M",
            "--innodb-read-ahead-threshold=0", "--innodb-stats-auto-recalc=OFF", "--log-bin=binlog",
            "--server-id=1", "--sync-binlog=1", "--innodb-flush-log-at-trx-commit=1",
            "--innodb-lock-wait-timeout=20"}});
    fill(*server);
  }
  return *server;
}

void BudgetServer::SetUp() {
  if (const auto reason = why_unavailable(flavor())) GTEST_SKIP() << *reason;
  static_cast<void>(server());
}

void BudgetServer::wait_until_stuck(const Client& client) {
  constexpr milliseconds kWhile{150};
  Client observer({.socket = server().socket()});
  const std::string text =
      "SELECT COUNT(*) FROM information_schema.processlist WHERE info IS NOT NULL AND id = " +
      std::to_string(client.connection_id());
  ASSERT_TRUE(wait_until([&] { return observer.value(text) == "1"; }, seconds(20)));
  std::this_thread::sleep_for(kWhile);
  ASSERT_EQ(observer.value(text), "1");
}

BudgetTrace::BudgetTrace(const Server& server, const std::vector<std::string>& options)
    : process_([&] {
        std::vector<std::string> all = {"queries", "--budget", "--format",
                                        "json",    "-p",       std::to_string(server.pid())};
        all.insert(all.end(), options.begin(), options.end());
        return all;
      }()) {
  process_.wait_until_attached(seconds(120));
}

std::vector<json> BudgetTrace::finish(size_t least) {
  EXPECT_TRUE(process_.wait_for_lines(least)) << process_.errors();
  EXPECT_EQ(process_.stop(), 0) << process_.errors();
  const std::vector<json> lines = process_.queries();
  expect_explained(lines);
  return lines;
}

pid_t BudgetTrace::thread_of(Client& client) {
  const std::string text = "SELECT 'whose thread is this'";
  client.query(text);
  pid_t thread = 0;
  EXPECT_TRUE(wait_until(
      [&] {
        for (const json& line : lines())
          if (line.at("conn") == client.connection_id() && line.at("query") == text)
            thread = line.at("tid");
        return thread != 0;
      },
      seconds(10)));
  return thread;
}

json line_with(const std::vector<json>& lines, const Client& client, const std::string& text) {
  for (const json& line : lines)
    if (line.at("conn") == client.connection_id() && line.at("query") == text) return line;
  ADD_FAILURE() << "no line of " << text;
  return json::object();
}

int64_t ns_of(const json& line, const std::string& cause) {
  return BudgetedQuery{.told = line, .done = {}}.ns(cause);
}

std::map<pid_t, int64_t> run_delays(pid_t process) {
  std::map<pid_t, int64_t> threads;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task")) {
    int64_t on_core = 0;
    std::ifstream(entry.path() / "schedstat") >> on_core >>
        threads[std::stoi(entry.path().filename())];
  }
  return threads;
}

std::map<std::string, int64_t> thread_counters(pid_t process, pid_t thread) {
  const std::string folder =
      "/proc/" + std::to_string(process) + "/task/" + std::to_string(thread) + "/";
  std::map<std::string, int64_t> counters;
  for (const char* file : {"io", "status"}) {
    std::ifstream lines(folder + file);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string name;
      int64_t value = 0;
      if (words >> name >> value) counters[name.substr(0, name.size() - 1)] = value;
    }
  }
  return counters;
}

}  // namespace dbtrace::testing
