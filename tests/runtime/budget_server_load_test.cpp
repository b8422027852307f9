// Sums over all queries of the real servers under load, against what the kernel
// counted for their threads.
#include <gtest/gtest.h>

#include <iostream>
#include <list>
#include <set>
#include <thread>

#include "fixtures/servers/budget/task_clock.h"
#include "tests/runtime/budget.h"
#include "tests/runtime/budget_server.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;

class BudgetServerLoad : public BudgetServer {
 protected:
  // Each client does the texts, all clients at once.
  static void run(std::vector<Client>& clients, const std::vector<std::string>& texts) {
    std::vector<std::thread> threads;
    threads.reserve(clients.size());
    for (Client& client : clients)
      threads.emplace_back([&client, &texts] {
        for (const std::string& text : texts) EXPECT_EQ(client.error_of(text), 0u) << text;
      });
    for (std::thread& thread : threads) thread.join();
  }
  static std::vector<Client> clients(size_t count) {
    std::vector<Client> all;
    for (size_t i = 0; i < count; ++i) all.push_back(client());
    return all;
  }
};

DBTRACE_BUDGET_SERVERS(BudgetServerLoad);

// Computing on more threads than there are cores: most time is on the core and in
// the queue for it, which is also what the kernel counts.
TEST_P(BudgetServerLoad, TimeOnCoresAndInTheQueueIsThatOfTheKernel) {
  std::vector<Client> all = clients(2 * std::thread::hardware_concurrency());
  std::vector<std::string> texts;
  for (int i = 0; i < 5; ++i) {
    texts.push_back("SELECT BENCHMARK(400000, SHA2('a text', 256))");
    texts.push_back(
        "SELECT COUNT(*) FROM numbers a, numbers b, numbers c WHERE a.square <> b.square "
        "+ c.square");
  }
  BudgetTrace trace(server());
  std::set<pid_t> sessions;
  for (Client& client : all) sessions.insert(trace.thread_of(client));
  std::list<TaskClock> clocks;
  for (const pid_t thread : sessions) clocks.emplace_back(thread);
  const auto before = run_delays(server().pid());
  run(all, texts);
  const auto after = run_delays(server().pid());
  const std::vector<json> lines = trace.finish(all.size() * (texts.size() + 1));

  struct Times {
    int64_t on_core_ns = 0, run_delay_ns = 0;
  } told, real;
  for (const json& line : lines) {
    if (line["query"] == "SELECT 'whose thread is this'") continue;
    told.on_core_ns += ns_of(line, "on_cpu_ns");
    told.run_delay_ns += ns_of(line, "runqueue_ns");
  }
  for (const TaskClock& clock : clocks) real.on_core_ns += clock.ns();
  for (const pid_t thread : sessions) real.run_delay_ns += after.at(thread) - before.at(thread);
  expect_near(told.on_core_ns, real.on_core_ns, real.on_core_ns * 3 / 100);
  expect_near(told.run_delay_ns, real.run_delay_ns, real.run_delay_ns * 5 / 100);
  EXPECT_GE(told.run_delay_ns, told.on_core_ns / 4);
  std::cout << "  on cores " << told.on_core_ns / 1000 << " of " << real.on_core_ns / 1000
            << " µs, in the queue " << told.run_delay_ns / 1000 << " of "
            << real.run_delay_ns / 1000 << " µs\n";
}

// Writes that wait for the disk, for each other and for background threads.
TEST_P(BudgetServerLoad, WritesAddUp) {
  constexpr size_t kClients = 4;
  std::vector<Client> all = clients(kClients);
  all.front().query(
      "DROP TABLE IF EXISTS hot; CREATE TABLE hot (id INT PRIMARY KEY, n INT) "
      "ENGINE=InnoDB; INSERT INTO hot SELECT id, 0 FROM numbers");
  std::vector<std::string> texts;
  for (int i = 0; i < 40; ++i) {
    texts.push_back("UPDATE hot SET n = n + 1 WHERE id = " + std::to_string(1 + i % 3));
    texts.emplace_back("INSERT INTO big (filler) VALUES (REPEAT('y', 200))");
    texts.emplace_back("DELETE FROM big WHERE filler LIKE 'y%' AND id > 60000 LIMIT 1");
  }
  BudgetTrace trace(server());
  run(all, texts);
  const std::vector<json> lines = trace.finish(kClients * texts.size());
  EXPECT_EQ(lines.size(), kClients * texts.size());
  std::map<std::string, int64_t> sums;
  size_t blockers = 0;
  for (const json& line : lines) {
    for (const auto& [name, value] : line["budget"].items())
      if (value.is_number()) sums[name] += value.get<int64_t>();
    blockers += line["blocker"].is_object();
  }
  EXPECT_GT(sums["fsync_ns"], 0);
  EXPECT_GT(sums["lock_ns"], 0);
  EXPECT_GT(blockers, 0u);
  for (const auto& [name, value] : sums)
    if (name.ends_with("_ns")) std::cout << "  " << name << ' ' << value / 1000 << " µs\n";
}

}  // namespace
}  // namespace dbtrace::testing
