// Known chains of calls, from where a thread waits to its start, in a program that is built
// in different ways.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "src/stacks/unwinder.h"
#include "symbols/symbolizer.h"
#include "tests/unit/stacks/capture.h"
#include "tests/unit/stacks/chain.h"

namespace dbtrace::stacks {
namespace {

using test::Chain;
using Names = std::vector<std::string>;

struct Stack {
  Names names;
  bool whole = false;
};

Stack stack_of(const Chain& chain) {
  const auto captured = test::capture(chain.thread());
  if (!captured) return {{"not captured"}};
  Unwinder unwinder;
  symbols::Symbolizer symbolizer;
  const Unwound unwound = unwinder.unwind(chain.pid(), captured->stack());
  return {test::names(symbolizer, chain.pid(), unwound), unwound.whole};
}

// `inner`, and what every chain begins with.
Names to_start(Names inner) {
  for (const char* name : {"chain::run", "(anonymous namespace)::thread", "[libc]"}) {
    inner.emplace_back(name);
  }
  return inner;
}

// From where a chain stops.
Names from_stop(const Names& callers) {
  Names names = {"[libc]", "chain::stop"};
  names.insert(names.end(), callers.begin(), callers.end());
  return to_start(std::move(names));
}

class Chains : public ::testing::TestWithParam<const char*> {
 protected:
  void expect(const std::string& name, const Names& expected) {
    const Chain chain(test::fixture(GetParam()), name);
    ASSERT_NE(chain.thread(), 0) << name;
    const Stack stack = stack_of(chain);
    EXPECT_EQ(stack.names, expected) << name;
    EXPECT_TRUE(stack.whole) << name;
  }
};

TEST_P(Chains, AreWhole) {
  expect("stop", from_stop({}));
  expect("lambda", from_stop({"chain::with_lambda()::'lambda'(int)::operator()", "chain::call",
                              "chain::with_lambda"}));
  expect("virtual", from_stop({"chain::Derived::method", "chain::with_virtual"}));
}

TEST_P(Chains, OfAHundredFunctions) {
  const Chain chain(test::fixture(GetParam()), "deep");
  ASSERT_NE(chain.thread(), 0);
  const auto captured = test::capture(chain.thread());
  ASSERT_TRUE(captured);
  Unwinder unwinder;
  const Unwound unwound = unwinder.unwind(chain.pid(), captured->stack());
  EXPECT_TRUE(unwound.whole);
  symbols::Symbolizer symbolizer;
  Names raw;
  for (const uint64_t address : unwound.addresses) {
    const symbols::Symbolized place = symbolizer.user(chain.pid(), address);
    if (place.function == "chain::deep") raw.emplace_back(place.raw);
  }
  Names expected;
  for (int depth = 0; depth < 100; ++depth) {
    expected.push_back(fmt::format("_ZN5chain4deepILi{}EEEii", depth));
  }
  EXPECT_EQ(raw, expected);
}

TEST_P(Chains, OfOneFunctionInItself) {
  expect("recursive200", from_stop(Names(201, "chain::recursive")));
}

// The stack knows where to return to, not who jumped.
TEST_P(Chains, LackWhoJumped) {
  const bool is_optimized = std::string_view(GetParam()).find("unoptimized") == std::string::npos;
  expect("tail", is_optimized ? from_stop({"chain::tail_target", "chain::before_tail_call"})
                              : from_stop({"chain::tail_target", "chain::tail_caller",
                                           "chain::before_tail_call"}));
}

TEST_P(Chains, ThroughLibraries) {
  if (GetParam() == std::string_view("chains.static")) return;  // it has none
  expect("library", from_stop({"linked_function", "linked_entry", "chain::with_library"}));
  expect("loaded", from_stop({"loaded_function", "loaded_entry", "chain::with_loaded_library"}));
}

TEST_P(Chains, ThroughCodeWithoutUnwindInformation) {
  expect("compiled", from_stop({"compiled query", "chain::with_compiled"}));
}

TEST_P(Chains, WhileAnExceptionIsUnderWay) {
  expect("destructor",
         from_stop({"chain::Guard::~Guard", "chain::with_guard", "chain::in_destructor"}));
  expect("catch", from_stop({"chain::in_catch"}));
}

TEST_P(Chains, ThroughSignalHandlers) {
  const Chain chain(test::fixture(GetParam()), "handler");
  ASSERT_NE(chain.thread(), 0);
  const Stack stack = stack_of(chain);
  EXPECT_EQ(stack.names,
            from_stop({"chain::handler", "[libc]", "chain::interrupted", "chain::in_handler"}));
  EXPECT_TRUE(stack.whole);
}

INSTANTIATE_TEST_SUITE_P(All, Chains,
                         ::testing::Values("chains", "chains.unoptimized", "chains.frame_pointers",
                                           "chains.static"),
                         [](const auto& program) {
                           std::string name = program.param;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

TEST(Unwinder, EndsLongRecursionsWithoutTheirStart) {
  const Chain chain(test::fixture("chains"), "recursive");
  ASSERT_NE(chain.thread(), 0);
  const auto captured = test::capture(chain.thread());
  ASSERT_TRUE(captured);
  Unwinder unwinder;
  const Unwound unwound = unwinder.unwind(chain.pid(), captured->stack());
  EXPECT_EQ(unwound.addresses.size(), Unwinder::kFramesMax);
  EXPECT_FALSE(unwound.whole);
}

}  // namespace
}  // namespace dbtrace::stacks
