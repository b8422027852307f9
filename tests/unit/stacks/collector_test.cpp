#include "src/stacks/collector.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace dbtrace::stacks {
namespace {

using model::Cause;

constexpr uint64_t kMs = 1'000'000;

#if defined(__aarch64__)
constexpr size_t kPc = 32;
#else
constexpr size_t kPc = 16;
#endif

class CollectorTest : public ::testing::Test {
 protected:
  // Of a thread that is at `pc`, with nothing on its stack.
  static Capture at(uint64_t start_ns, uint64_t pc, uint64_t time_ns) {
    Capture capture;
    capture.command = {static_cast<uint32_t>(::getpid()), start_ns};
    capture.tid = 7;
    capture.time_ns = time_ns;
    capture.registers[kPc] = pc;
    return capture;
  }
  static Capture waiting(uint64_t start_ns, uint64_t since_ns, uint64_t seen_ns) {
    Capture capture = at(start_ns, 0x1000, seen_ns);
    capture.wait_since_ns = since_ns;
    capture.cause = Cause::FileRead;
    return capture;
  }
  static CommandKey key(uint64_t start_ns) { return at(start_ns, 0, 0).command; }

  Unwinder unwinder_;
  Collector collector_{unwinder_, {.sample_ns = 10 * kMs}};
};

TEST_F(CollectorTest, KeepsEachStackOnceAndEachMoment) {
  collector_.take(at(100 * kMs, 0x1000, 110 * kMs));
  collector_.take(at(100 * kMs, 0x2000, 120 * kMs));
  collector_.take(at(100 * kMs, 0x1000, 130 * kMs));
  const CommandStacks found = collector_.of(key(100 * kMs), 200 * kMs, true);
  ASSERT_EQ(found.stacks.size(), 2);
  EXPECT_EQ(found.stacks[0].user.addresses, std::vector<uint64_t>{0x1000});
  ASSERT_EQ(found.moments.size(), 3);
  EXPECT_EQ(found.moments[0].time_ns, 10 * kMs);
  EXPECT_EQ(found.moments[2].stack, 0);
  EXPECT_EQ(found.moments[2].ns, 10 * kMs);
}

TEST_F(CollectorTest, ForgetsWhatHasEnded) {
  collector_.take(at(100 * kMs, 0x1000, 110 * kMs));
  EXPECT_EQ(collector_.of(key(100 * kMs), 200 * kMs, false).moments.size(), 1);
  EXPECT_EQ(collector_.of(key(100 * kMs), 200 * kMs, true).moments.size(), 1);
  EXPECT_TRUE(collector_.of(key(100 * kMs), 200 * kMs, true).moments.empty());
  EXPECT_EQ(collector_.memory(), 0);
}

TEST_F(CollectorTest, AWaitWeighsAsLongAsItLasts) {
  collector_.take(waiting(100 * kMs, 105 * kMs, 120 * kMs));
  collector_.take(WaitEnd{key(100 * kMs), 105 * kMs, 180 * kMs});
  const CommandStacks found = collector_.of(key(100 * kMs), 200 * kMs, true);
  ASSERT_EQ(found.moments.size(), 1);
  EXPECT_EQ(found.moments[0].time_ns, 5 * kMs);
  EXPECT_EQ(found.moments[0].ns, 75 * kMs);
  EXPECT_EQ(found.stacks[0].cause, Cause::FileRead);
}

TEST_F(CollectorTest, AWaitThatLastsWeighsUntilNow) {
  collector_.take(waiting(100 * kMs, 105 * kMs, 120 * kMs));
  const CommandStacks found = collector_.of(key(100 * kMs), 200 * kMs, false);
  ASSERT_EQ(found.moments.size(), 1);
  EXPECT_EQ(found.moments[0].ns, 95 * kMs);
}

// The memory was read when the thread had gone on: nobody knows what it shows.
TEST_F(CollectorTest, AStackThatWasReadTooLateIsDropped) {
  collector_.take(waiting(100 * kMs, 105 * kMs, 120 * kMs));
  collector_.take(WaitEnd{key(100 * kMs), 105 * kMs, 119 * kMs});
  EXPECT_TRUE(collector_.of(key(100 * kMs), 200 * kMs, true).moments.empty());
}

TEST_F(CollectorTest, AnEndOfAnotherWaitIsNotIts) {
  collector_.take(waiting(100 * kMs, 105 * kMs, 120 * kMs));
  collector_.take(WaitEnd{key(100 * kMs), 102 * kMs, 104 * kMs});
  collector_.take(WaitEnd{key(99 * kMs), 105 * kMs, 150 * kMs});
  collector_.take(WaitEnd{key(100 * kMs), 105 * kMs, 160 * kMs});
  const CommandStacks found = collector_.of(key(100 * kMs), 200 * kMs, true);
  ASSERT_EQ(found.moments.size(), 1);
  EXPECT_EQ(found.moments[0].ns, 55 * kMs);
}

TEST_F(CollectorTest, ForgetsFastCommandsWhenTheirThreadHasGoneOn) {
  collector_.take(at(100 * kMs, 0x1000, 110 * kMs));
  collector_.forget_fast(60'000 * kMs);  // it may still run
  EXPECT_GT(collector_.memory(), 0);
  collector_.take(at(120 * kMs, 0x1000, 130 * kMs));
  collector_.forget_fast(130 * kMs);  // its event may be on its way
  EXPECT_EQ(collector_.of(key(100 * kMs), 200 * kMs, false).moments.size(), 1);
  collector_.forget_fast(60'000 * kMs);
  EXPECT_TRUE(collector_.of(key(100 * kMs), 200 * kMs, false).moments.empty());
  EXPECT_EQ(collector_.of(key(120 * kMs), 200 * kMs, false).moments.size(), 1);
}

TEST_F(CollectorTest, MomentsBeyondALimitAreSummedUp) {
  constexpr size_t kMore = 1000;
  for (size_t i = 0; i < Collector::kMomentsMax + kMore; ++i)
    collector_.take(at(100 * kMs, 0x1000, (101 + i) * kMs));
  const CommandStacks found = collector_.of(key(100 * kMs), UINT64_MAX, true);
  ASSERT_EQ(found.moments.size(), Collector::kMomentsMax + 1);
  uint64_t count = 0, ns = 0;
  for (const Moment& moment : found.moments) {
    count += moment.count;
    ns += moment.ns;
  }
  EXPECT_EQ(count, Collector::kMomentsMax + kMore);
  EXPECT_EQ(ns, count * 10 * kMs);
}

TEST_F(CollectorTest, MemoryIsBounded) {
  Collector small(unwinder_, {.sample_ns = 1, .memory_limit = 100'000});
  for (uint64_t i = 1; i <= 10'000; ++i) {
    small.take(at(i * kMs, 0x1000 + i, i * kMs + 1));
    ASSERT_LE(small.memory(), 100'000 + 10'000);
  }
  EXPECT_GT(small.dropped(), 9'000);
  // The latest is spared.
  EXPECT_EQ(small.of(key(10'000 * kMs), UINT64_MAX, true).moments.size(), 1);
}

}  // namespace
}  // namespace dbtrace::stacks
