// dbtrace is killed while the kernel is busy with its probes, thousands of them: the kernel leaves
// in the server what it cannot finish then, unless who asked it is not the one that dies.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>

#include "tests/faults/checks.h"
#include "tests/faults/database.h"
#include "tests/runtime/dbtrace_process.h"
#include "tests/runtime/probe_traces.h"

namespace dbtrace::testing {
namespace {

using std::chrono::minutes;

constexpr size_t kAtLeast = 1000;  // probes

class KilledAmid : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto reason = why_unavailable(Kind::MariaDb)) GTEST_SKIP() << *reason;
    server = make_database(Kind::MariaDb);
    ASSERT_EQ(changed(), 0U);
    dispatching = std::make_unique<ProbeSites>(server->pid());
  }
  [[nodiscard]] size_t changed() const { return changed_code_bytes(server->pid()); }
  // Of functions in the midst of which the kernel comes to one whose probe can be watched.
  [[nodiscard]] std::vector<std::string> thousands() const {
    return {"func", "*Item*", "dispatch_command*", "*lock*", "-p", std::to_string(server->pid())};
  }
  void expect_clean() const {
    EXPECT_TRUE(wait_until([&] { return changed() == 0; }, minutes(1))) << changed() << " probes";
    expect_alive(*server);
  }

  std::unique_ptr<Database> server;
  std::unique_ptr<ProbeSites> dispatching;
};

// As fast as it can: the kernel needs microseconds for each probe.
template <typename Condition>
bool spin_until(const Condition& holds) {
  const auto end = std::chrono::steady_clock::now() + minutes(1);
  while (!holds())
    if (std::chrono::steady_clock::now() > end) return false;
  return true;
}

TEST_F(KilledAmid, Attaching) {
  DbtraceProcess dbtrace(thousands());
  ASSERT_TRUE(spin_until([&] { return dispatching->any_probed(); })) << dbtrace.errors();
  dbtrace.kill();
  expect_clean();
}

TEST_F(KilledAmid, Removing) {
  DbtraceProcess dbtrace(thousands());
  dbtrace.wait_until_attached(minutes(1));
  ASSERT_GE(changed(), kAtLeast);
  dbtrace.process().signal(SIGINT);
  ASSERT_TRUE(spin_until([&] { return dispatching->all_clean(); })) << dbtrace.errors();
  dbtrace.kill();
  expect_clean();
}

}  // namespace
}  // namespace dbtrace::testing
