#include "src/commands/top/figures.h"

#include <gtest/gtest.h>

#include <vector>

#include "src/commands/top/paper.h"

namespace dbtrace::commands::top {
namespace {

TEST(RateText, HasFiveColumnsAtMost) {
  EXPECT_EQ(rate_text(0), "0");
  EXPECT_EQ(rate_text(0.5), "0.50");
  EXPECT_EQ(rate_text(9.994), "9.99");
  EXPECT_EQ(rate_text(9.996), "10.0");
  EXPECT_EQ(rate_text(99.96), "100");
  EXPECT_EQ(rate_text(99'999), "99999");
  EXPECT_EQ(rate_text(123'456), "123k");
  EXPECT_EQ(rate_text(123'456'789), "123M");
}

TEST(CountText, IsExactWhileThereIsRoom) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(99'999), "99999");
  EXPECT_EQ(count_text(100'000), "100k");
  EXPECT_EQ(count_text(UINT64_MAX), "18446744T");
}

TEST(ShareText, IsAPercentage) {
  EXPECT_EQ(share_text(0, 0), "0%");
  EXPECT_EQ(share_text(1, 0), "0%");
  EXPECT_EQ(share_text(1, 1000), "0.1%");
  EXPECT_EQ(share_text(9'996, 10'000), "100%");
  EXPECT_EQ(share_text(10, 10), "100%");
}

TEST(Sparkline, IsRelativeToItsHighest) {
  const std::vector<uint64_t> values = {0, 1, 500, 1000};
  EXPECT_EQ(sparkline(values), "▁▂▅█");
  EXPECT_EQ(sparkline(std::vector<uint64_t>{0, 0}), "▁▁");
  EXPECT_EQ(sparkline({}), "");
}

TEST(Fitting, CountsColumns) {
  EXPECT_EQ(fitting("abc", 2), 2U);
  EXPECT_EQ(fitting("abc", 5), 3U);
  EXPECT_EQ(fitting("µ漢", 2), 2U);  // the wide one does not fit into the one column left
  EXPECT_EQ(fitting("µ漢", 3), 5U);
}

TEST(Paper, WrapsAndCuts) {
  Paper paper(5, false);
  paper.say_wrapped("abcdefgh漢漢漢x", 3);
  EXPECT_EQ(paper.lines(), (std::vector<std::string>{"abcde", "fgh漢", "漢漢x"}));
  Paper narrow(1, false);
  narrow.say_wrapped("漢漢", 5);
  EXPECT_LE(narrow.lines().size(), 5U);
  Paper long_text(4, false);
  long_text.say_wrapped("abcdefghijk", 2);
  EXPECT_EQ(long_text.lines(), (std::vector<std::string>{"abcd", "efg…"}));
  Paper copied(3, false);
  copied.copy("  12345\nx\n");
  EXPECT_EQ(copied.lines(), (std::vector<std::string>{"  1", "x"}));
}

TEST(Paper, NothingDrivesTheTerminal) {
  Paper paper(0, true);
  paper.say("\x1b[2J\x07 x\r\ny \xff");
  EXPECT_EQ(paper.lines().front(), "\\x1b[2J\\x07 x y \\xff");
  paper.say_wrapped("\x1b]0;title\x07", 2);
  EXPECT_EQ(paper.lines().back(), "\\x1b]0;title\\x07");
}

}  // namespace
}  // namespace dbtrace::commands::top
