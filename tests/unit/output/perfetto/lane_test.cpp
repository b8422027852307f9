#include "src/output/perfetto/lane.h"

#include <gtest/gtest.h>

namespace dbtrace::output::perfetto {
namespace {

TEST(Lane, TakesWhatComesOneAfterTheOther) {
  Lane lane;
  EXPECT_TRUE(lane.take(10, 20, true));
  EXPECT_TRUE(lane.take(20, 30, true));
  EXPECT_TRUE(lane.take(30, 30, true));
  EXPECT_TRUE(lane.take(30, 31, true));
}

TEST(Lane, TakesStatementsInTheirCommand) {
  Lane lane;
  EXPECT_TRUE(lane.take(0, 5, true));
  EXPECT_TRUE(lane.take(12, 13, false));
  EXPECT_TRUE(lane.take(14, 15, false));
  EXPECT_TRUE(lane.take(11, 16, false));  // around both
  EXPECT_TRUE(lane.take(17, 18, false));
  EXPECT_TRUE(lane.take(10, 19, true));  // around all
  EXPECT_TRUE(lane.take(19, 20, true));
}

TEST(Lane, HasNoRoomForWhatOverlaps) {
  Lane lane;
  EXPECT_TRUE(lane.take(10, 20, true));
  EXPECT_FALSE(lane.take(19, 30, true));
  EXPECT_TRUE(lane.take(20, 25, true));
  EXPECT_FALSE(lane.take(15, 30, true));  // into one that is over
  EXPECT_FALSE(lane.take(5, 12, true));
}

TEST(Lane, HasNoRoomForStatementsThatReachOut) {
  Lane lane;
  EXPECT_TRUE(lane.take(10, 20, false));
  EXPECT_FALSE(lane.take(15, 21, true));
  EXPECT_FALSE(lane.take(5, 19, true));
  EXPECT_TRUE(lane.take(9, 21, true));
}

// Whichever is written first would be the outer one.
TEST(Lane, HasNoRoomForTwoThatBeginAtOnce) {
  Lane lane;
  EXPECT_TRUE(lane.take(10, 20, false));
  EXPECT_FALSE(lane.take(10, 30, true));
}

// The first that has room, as long as there are few.
TEST(Lanes, AreFewWhereFewOverlap) {
  Lanes lanes;
  for (uint64_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(lanes.take(100 * i, 100 * i + 50, true), 0U);
    EXPECT_EQ(lanes.take(100 * i + 10, 100 * i + 60, true), 1U);
    EXPECT_EQ(lanes.take(100 * i + 70, 100 * i + 80, true), 0U);
  }
  EXPECT_GE(lanes.size(), 2U);
}

// A look at each of 200,000 lanes for each slice would be 20,000,000,000 looks.
TEST(Lanes, AreFoundHoweverManyOverlap) {
  constexpr size_t kMany = 200'000;
  Lanes lanes;
  for (int round = 0; round < 3; ++round)
    for (size_t i = 0; i < kMany; ++i)
      EXPECT_EQ(lanes.take(round * 2 * kMany + i, round * 2 * kMany + kMany + i, true), i);
  EXPECT_EQ(lanes.size(), kMany);
}

// Statements without an end of their command, and all that do not fit.
TEST(Lanes, AreFoundBesideManyStatements) {
  constexpr size_t kMany = 200'000;
  Lanes lanes;
  for (size_t i = 0; i < kMany; ++i) EXPECT_EQ(lanes.take(2 * i + 1, 2 * i + 2, false), 0U);
  for (size_t i = 0; i < kMany; ++i) EXPECT_GE(lanes.take(1, 2 * kMany, true), 1U);
}

}  // namespace
}  // namespace dbtrace::output::perfetto
