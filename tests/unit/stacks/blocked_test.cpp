// Threads that wait in libc, whose functions have no frame pointers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST_P(Blocked, ThreadsHaveWholeStacks) {
  const test::Chain chain(test::fixture("chains"), GetParam().chain);
  ASSERT_NE(chain.thread(), 0);
  const auto captured = test::capture(chain.thread());
  ASSERT_TRUE(captured);
  Unwinder unwinder;
  const Unwound unwound = unwinder.unwind(chain.pid(), captured->stack());
  EXPECT_TRUE(unwound.whole);

  symbols::Symbolizer symbolizer;
  std::string before;
  for (const uint64_t address : unwound.addresses) {
    const std::string function(symbolizer.user(chain.pid(), address).function);
    if (function.starts_with("chain::")) break;
    before = function;
  }
  EXPECT_EQ(before, GetParam().function);
  EXPECT_THAT(test::names(symbolizer, chain.pid(), unwound),
              ::testing::ElementsAre("[libc]", GetParam().caller, "chain::run",
                                     "(anonymous namespace)::thread", "[libc]"));
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
