// Every instruction of functions whose frames differ: at their first, behind a push, before
// the return, in procedure linkage tables, in libc and in the loader.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ptrace.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "src/stacks/unwinder.h"
#include "symbols/symbolizer.h"
#include "tests/unit/stacks/capture.h"
#include "tests/unit/stacks/chain.h"

namespace dbtrace::stacks {
namespace {

using test::Captured;

#if defined(__x86_64__)
constexpr size_t kStackPointer = 7;
constexpr size_t kProgramCounter = 16;

uint64_t top_of(const Captured& captured) {
  uint64_t value = 0;
  std::memcpy(&value, captured.bytes.data(), sizeof(value));
  return value;
}

// What the stack is, by what the processor did: each call adds to it, each return takes.
class Truth {
 public:
  Truth(const Captured& first, const std::vector<uint64_t>& addresses) : last_(first) {
    returns_.assign(addresses.rbegin(), std::prev(addresses.rend()));
    for (uint64_t& address : returns_) ++address;
  }

  void step(const Captured& now) {
    const uint64_t before = last_.registers[kProgramCounter];
    const uint64_t stack = last_.registers[kStackPointer];
    constexpr uint64_t kLongestCall = 8;
    const uint64_t top = top_of(now);
    if (now.registers[kStackPointer] == stack - 8 && top > before && top <= before + kLongestCall) {
      returns_.push_back(top);
    } else if (now.registers[kStackPointer] == stack + 8 && !returns_.empty() &&
               now.registers[kProgramCounter] == returns_.back() &&
               top_of(last_) == returns_.back()) {
      returns_.pop_back();
    }
    last_ = now;
  }

  [[nodiscard]] std::vector<uint64_t> addresses() const {
    std::vector<uint64_t> result = {last_.registers[kProgramCounter]};
    for (auto address = returns_.rbegin(); address != returns_.rend(); ++address)
      result.push_back(*address - 1);
    return result;
  }

 private:
  Captured last_;
  std::vector<uint64_t> returns_;  // outermost first
};

class Steps : public ::testing::TestWithParam<const char*> {};

TEST_P(Steps, HaveWholeStacks) {
  test::Chain chain(test::fixture(GetParam()), "walk");
  ASSERT_NE(chain.thread(), 0);
  const pid_t thread = chain.thread();
  test::Stopped stopped(thread);
  ASSERT_TRUE(stopped.is_stopped());
  chain.feed();

  Unwinder unwinder;
  symbols::Symbolizer symbolizer;
  const auto first = test::capture_stopped(thread, 16384);
  ASSERT_TRUE(first);
  Truth truth(*first, unwinder.unwind(chain.pid(), first->stack()).addresses);
  std::set<std::string> modules;
  bool was_walked = false;
  size_t steps = 0;
  size_t walked_steps = 0;
  for (; steps < 100'000; ++steps) {
    ASSERT_TRUE(stopped.go_on(PTRACE_SINGLESTEP));
    const auto captured = test::capture_stopped(thread, 16384);
    ASSERT_TRUE(captured);
    truth.step(*captured);
    const Unwound unwound = unwinder.unwind(chain.pid(), captured->stack());
    ASSERT_TRUE(unwound.whole && unwound.addresses == truth.addresses())
        << "after " << steps << " steps in "
        << symbolizer.user(chain.pid(), unwound.addresses.front()).function << " at "
        << fmt::format(
               "{:#x}, whole {}, {}\nnot {}", unwound.addresses.front(), unwound.whole,
               fmt::join(test::names(symbolizer, chain.pid(), unwound), " "),
               fmt::join(test::names(symbolizer, chain.pid(), {truth.addresses(), true}), " "));
    const symbols::Symbolized place = symbolizer.user(chain.pid(), unwound.addresses.front());
    const std::string_view function = place.function;
    modules.emplace(place.module.substr(place.module.rfind('/') + 1));
    if (function == "chain::walked") was_walked = true;
    if (was_walked) ++walked_steps;
    if (was_walked && function == "chain::stop") break;
  }
  EXPECT_GT(walked_steps, 500U);
  EXPECT_THAT(modules, ::testing::IsSupersetOf({GetParam(), "libc.so.6", "[vdso]"}));
  EXPECT_LT(steps, 100'000U);
  RecordProperty("steps", static_cast<int>(steps));
}

INSTANTIATE_TEST_SUITE_P(All, Steps,
                         ::testing::Values("chains", "chains.unoptimized", "chains.frame_pointers"),
                         [](const auto& program) {
                           std::string name = program.param;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });
#endif

}  // namespace
}  // namespace dbtrace::stacks
