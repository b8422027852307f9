#include "src/output/short_number.h"

#include <gtest/gtest.h>

namespace dbtrace::output {
namespace {

TEST(ShortNumber, HasAtMostSixColumns) {
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(999'999), "999999");
  EXPECT_EQ(short_number(1'000'000), "1.00M");
  EXPECT_EQ(short_number(12'345'678), "12.3M");
  EXPECT_EQ(short_number(999'499'999), "999M");
  EXPECT_EQ(short_number(999'500'000), "1.00G");
  EXPECT_EQ(short_number(UINT64_MAX), "18.4E");
}

TEST(ShortPercentage, IsNeverMoreThanItIs) {
  EXPECT_EQ(short_percentage(0), "0");
  EXPECT_EQ(short_percentage(0.00123), "0.0012");
  EXPECT_EQ(short_percentage(3.44), "3.4");
  EXPECT_EQ(short_percentage(98.4), "98");
  EXPECT_EQ(short_percentage(99.88), ">99");
  EXPECT_EQ(short_percentage(100), "100");
}

}  // namespace
}  // namespace dbtrace::output
