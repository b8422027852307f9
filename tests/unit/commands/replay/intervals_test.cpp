#include "src/commands/replay/intervals.h"

#include <gtest/gtest.h>

namespace dbtrace::commands {
namespace {

TEST(Intervals, TheLastMayBeShorter) {
  const Intervals intervals(1000, 1025, 10);
  EXPECT_EQ(intervals.count(), 3U);
  EXPECT_EQ(intervals.end_of(0), 10U);
  EXPECT_EQ(intervals.begin_of(2), 20U);
  EXPECT_EQ(intervals.end_of(2), 25U);
  EXPECT_TRUE(intervals.is_last(2));
  EXPECT_EQ(Intervals(1000, 1020, 10).count(), 2U);
  EXPECT_EQ(Intervals(1000, 1001, 10).count(), 1U);
}

TEST(Intervals, HaveEveryMoment) {
  const Intervals intervals(1000, 1025, 10);
  EXPECT_EQ(intervals.moment(5), 0U);
  EXPECT_EQ(intervals.moment(1009), 9U);
  EXPECT_EQ(intervals.moment(UINT64_MAX), 25U);
  EXPECT_EQ(intervals.interval_of(0), 0U);
  EXPECT_EQ(intervals.interval_of(10), 1U);
  EXPECT_EQ(intervals.interval_of(25), 2U);
  // The end is no interval of its own.
  EXPECT_EQ(Intervals(1000, 1020, 10).interval_of(20), 1U);
}

TEST(Intervals, OfNoTimeOrOfAllThereIs) {
  for (const Intervals& none : {Intervals(5, 5, 10), Intervals(9, 5, 10)}) {
    EXPECT_EQ(none.count(), 1U);
    EXPECT_EQ(none.end_of(0), 0U);
    EXPECT_EQ(none.moment(7), 0U);
  }
  const Intervals all(0, UINT64_MAX, 100'000'000);
  EXPECT_EQ(all.end_of(all.count() - 1), UINT64_MAX);
  EXPECT_EQ(all.interval_of(all.moment(UINT64_MAX)), all.count() - 1);
}

}  // namespace
}  // namespace dbtrace::commands
