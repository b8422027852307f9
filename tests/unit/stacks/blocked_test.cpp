// Threads that wait in libc, whose functions have no frame pointers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include <string>

#include "src/stacks/unwinder.h"
#include "symbols/symbolizer.h"
#include "tests/unit/stacks/capture.h"
#include "tests/unit/stacks/chain.h"

namespace dbtrace::stacks {
namespace {

struct Wait {
  const char* chain;
  const char* function;  // of libc, that the program called
  const char* caller;
};

class Blocked : public ::testing::TestWithParam<Wait> {};

void expect_wait(const Wait& wait, uint32_t pid, const test::Captured& captured) {
  Unwinder unwinder;
  const Unwound unwound = unwinder.unwind(pid, captured.stack());
  EXPECT_TRUE(unwound.whole);
  symbols::Symbolizer symbolizer;
  std::string before;
  for (const uint64_t address : unwound.addresses) {
    const std::string function(symbolizer.user(pid, address).function);
    if (function.starts_with("chain::")) break;
    before = function;
  }
  EXPECT_EQ(before, wait.function);
  EXPECT_THAT(test::names(symbolizer, pid, unwound),
              ::testing::ElementsAre("[libc]", wait.caller, "chain::run",
                                     "(anonymous namespace)::thread", "[libc]"));
}

TEST_P(Blocked, ThreadsHaveWholeStacks) {
  const test::Chain chain(test::fixture("chains"), GetParam().chain);
  ASSERT_NE(chain.thread(), 0);
  const auto captured = test::capture(chain.thread());
  ASSERT_TRUE(captured);
  expect_wait(GetParam(), chain.pid(), *captured);
}

// Where a system call may be too short to be met, the thread is stopped as it enters it.
TEST(BlockedThread, InFsync) {
  test::Chain chain(test::fixture("chains"), "fsync");
  ASSERT_NE(chain.thread(), 0);
  test::Stopped stopped(chain.thread());
  ASSERT_TRUE(stopped.is_stopped());
  chain.feed();
  for (int calls = 0; stopped.system_call() != SYS_fsync; ++calls) {
    ASSERT_LT(calls, 10);
    ASSERT_TRUE(stopped.go_on(PTRACE_SYSCALL));
  }
  const auto captured = test::capture_stopped(chain.thread());
  ASSERT_TRUE(captured);
  expect_wait({"fsync", "fsync", "chain::in_fsync"}, chain.pid(), *captured);
}

INSTANTIATE_TEST_SUITE_P(All, Blocked,
                         ::testing::Values(Wait{"stop", "read", "chain::stop"},
                                           Wait{"condition", "pthread_cond_wait",
                                                "chain::in_condition"},
                                           Wait{"lock", "pthread_mutex_lock", "chain::in_lock"},
                                           Wait{"sleep", "nanosleep", "chain::in_sleep"},
                                           Wait{"poll", "poll", "chain::in_poll"},
                                           Wait{"futex", "syscall", "chain::in_futex"}),
                         [](const auto& wait) { return std::string(wait.param.chain); });

}  // namespace
}  // namespace dbtrace::stacks
