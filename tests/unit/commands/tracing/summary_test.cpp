#include "src/commands/tracing/summary.h"

#include <gtest/gtest.h>

namespace dbtrace::commands {
namespace {

TEST(Summary, IsOneLineWhenNothingWasLost) {
  Tally tally;
  tally.kernel[DBT_COUNT_STARTED] = 12;
  tally.kernel[DBT_COUNT_FINISHED] = 10;
  tally.kernel[DBT_COUNT_HIDDEN] = 1;
  tally.kernel[DBT_COUNT_FAST] = 2;
  tally.filtered = 3;
  tally.shown = 4;
  EXPECT_EQ(
      summary(tally),
      "10 commands seen: 4 shown, 5 filtered, 1 of kinds not asked for, 0 lost; 2 still running\n");
}

TEST(Summary, TellsStatementsApart) {
  Tally tally;
  tally.kernel[DBT_COUNT_FINISHED] = 10;
  tally.kernel[DBT_COUNT_STATEMENTS] = 7;
  tally.kernel[DBT_COUNT_LOST_TOO_DEEP] = 2;
  tally.shown = 15;
  EXPECT_EQ(summary(tally),
            "10 commands and 7 statements in them seen: 15 shown, 0 filtered, 0 of kinds not asked "
            "for, 2 lost\nlost, 12 % of all: nothing else is known of them\n  2 nested too deeply: statements inside more than 31 others\n");
}

TEST(Summary, NamesEveryClassOfLoss) {
  Tally tally;
  tally.kernel[DBT_COUNT_FINISHED] = 10;
  tally.kernel[DBT_COUNT_LOST_RING_FULL] = 1;
  tally.kernel[DBT_COUNT_LOST_NO_STATE] = 2;
  tally.kernel[DBT_COUNT_LOST_ORPHAN] = 3;
  tally.malformed = 4;
  tally.kernel[DBT_COUNT_UNREADABLE_TEXT] = 5;
  tally.kernel[DBT_COUNT_TAIL_LOST] = 6;
  tally.kernel[DBT_COUNT_OPERATIONS_MISSED] = 7;
  const std::string text = summary(tally);
  EXPECT_NE(text.find("15 commands seen"), std::string::npos) << text;
  EXPECT_NE(text.find("10 lost"), std::string::npos) << text;
  for (const char* line : {"  1 ring full", "  2 map full", "  3 orphaned", "  4 malformed",
                           "  5 read failed", "  6 cut short", "  7 file operations not counted"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
}

}  // namespace
}  // namespace dbtrace::commands
