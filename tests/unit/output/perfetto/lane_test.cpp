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

}  // namespace
}  // namespace dbtrace::output::perfetto
