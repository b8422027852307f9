// MariaDB's thread pool, where a command that waits for its commit to reach the
// disk is put aside and taken up again, perhaps by another thread.
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/truth.h"

namespace dbtrace::testing {
namespace {

TEST(ThreadPool, CommandsThatAreSuspendedAreToldOnce) {
  if (const auto reason = why_unavailable(Flavor::MariaDb)) GTEST_SKIP() << *reason;
  Server server(
      {.arguments = {"--thread-handling=pool-of-threads", "--thread-pool-size=2", "--log-bin",
                     "--sync-binlog=1", "--innodb-flush-log-at-trx-commit=1",
                     "--max-connections=250"}});
  furnish(server);
  Client({.socket = server.socket()}).query("CREATE TABLE shop.log (client INT, number INT)");

  constexpr size_t kClients = 200;
  constexpr int kRounds = 3;
  std::vector<Client> clients;
  for (size_t i = 0; i < kClients; ++i)
    clients.emplace_back(Session{.socket = server.socket(), .user = "anna", .database = "shop"});
  std::vector<std::vector<std::string>> did(kClients);
  std::vector<std::chrono::nanoseconds> took(kClients);

  Trace trace(server);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kClients; ++i)
    threads.emplace_back([&, i] {
      const auto begin = std::chrono::steady_clock::now();
      for (int n = 0; n < kRounds; ++n) {
        const std::string insert =
            "INSERT INTO log VALUES (" + std::to_string(i) + ", " + std::to_string(n) + ")";
        for (const std::string& text : {insert + " /* on its own */", std::string("BEGIN"), insert,
                                        "COMMIT /* " + std::to_string(n) + " */"}) {
          did[i].push_back(text);
          clients[i].query(text);
        }
      }
      took[i] = std::chrono::steady_clock::now() - begin;
    });
  for (std::thread& thread : threads) thread.join();
  const std::vector<Line> lines = trace.finish(kClients * kRounds * 4);

  EXPECT_EQ(trace.summary().still_running, 0u);
  for (size_t i = 0; i < kClients; ++i) {
    std::vector<std::string> told;
    std::chrono::nanoseconds sum{0};
    for (const Line& line : lines_of(lines, clients[i])) {
      told.push_back(line.told.text.value());
      EXPECT_EQ(line.told.user, "anna");
      EXPECT_EQ(line.told.error, 0u);
      EXPECT_GT(line.duration_ns, 0u);
      sum += std::chrono::nanoseconds(line.duration_ns);
    }
    EXPECT_EQ(told, did[i]);
    // One client's commands follow each other. The server may finish a command
    // a moment after the client has its answer.
    EXPECT_LE(sum, took[i] + std::chrono::milliseconds(100));
  }
}

}  // namespace
}  // namespace dbtrace::testing
