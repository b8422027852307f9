// Budgets on the real servers: a server of each flavour that has little memory and
// writes everything through, and what dbtrace tells of what its clients do.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/runtime/truth.h"

namespace dbtrace::testing {

// Tests that run on both flavours. The server has the smallest buffer pool that it takes, no
// read-ahead, a binary log with sync_binlog=1, Truth's databases, and `shop.big`: 60,000 rows of
// more than 200 bytes (id, filler).
class BudgetServer : public ::testing::TestWithParam<Flavor> {
 protected:
  void SetUp() override;

  [[nodiscard]] static Flavor flavor() { return GetParam(); }
  [[nodiscard]] static bool is_mariadb() { return flavor() == Flavor::MariaDb; }
  [[nodiscard]] static Server& server();
  [[nodiscard]] static Client client() {
    return Client({.socket = server().socket(), .database = "shop"});
  }
  // Waits until the client's command has run for a while.
  static void wait_until_stuck(const Client& client);
};

#define DBTRACE_BUDGET_SERVERS(suite)                                 \
  INSTANTIATE_TEST_SUITE_P(                                           \
      Each, suite, ::testing::Values(Flavor::MariaDb, Flavor::MySql), \
      [](const auto& flavor) { return std::string(flavor_name(flavor.param)); })

// `dbtrace queries --budget` from the constructor to finish().
class BudgetTrace {
 public:
  explicit BudgetTrace(const Server& server, const std::vector<std::string>& options = {});

  // Waits for as many lines, then ends it; expects what expect_explained() does.
  std::vector<nlohmann::json> finish(size_t least);
  // The lines so far.
  [[nodiscard]] std::vector<nlohmann::json> lines() const { return process_.queries(); }
  // The thread that serves the client.
  [[nodiscard]] pid_t thread_of(Client& client);

 private:
  DbtraceProcess process_;
};

// The client's line of that text; an empty object (and a failure) if there is none.
[[nodiscard]] nlohmann::json line_with(const std::vector<nlohmann::json>& lines,
                                       const Client& client, const std::string& text);

// From budget or its locks; 0 where it is not mentioned.
[[nodiscard]] int64_t ns_of(const nlohmann::json& line, const std::string& cause);

// How long each thread of a process has waited for a core, as the kernel counts it.
[[nodiscard]] std::map<pid_t, int64_t> run_delays(pid_t process);

// "rchar", "syscr", "read_bytes", …, "voluntary_ctxt_switches", … of one thread.
[[nodiscard]] std::map<std::string, int64_t> thread_counters(pid_t process, pid_t thread);

}  // namespace dbtrace::testing
