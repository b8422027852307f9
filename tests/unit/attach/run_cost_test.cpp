#include "src/attach/run_cost.h"

#include <gtest/gtest.h>

namespace dbtrace::attach {
namespace {

TEST(TrapCost, IsByTheWayOfTheInstruction) {
  const TrapCost trap{.entry = 1, .stepped = 10, .at_return = 100};
  EXPECT_EQ(trap.of({}), 0U);
  EXPECT_EQ(trap.of({.entries = 5}), 5U);
  EXPECT_EQ(trap.of({.entries = 5, .stepped = 2, .returns = 1}), 123U);
  EXPECT_EQ(trap.of({.entries = 5, .stepped = 6}), 50U) << "counted a moment later";
}

}  // namespace
}  // namespace dbtrace::attach
