#include "src/commands/units.h"

#include <gtest/gtest.h>

namespace dbtrace::commands {
namespace {

TEST(Units, ReadsDurations) {
  EXPECT_EQ(parse_duration("10ms"), 10'000'000u);
  EXPECT_EQ(parse_duration("1.5s"), 1'500'000'000u);
  EXPECT_EQ(parse_duration("200us"), 200'000u);
  EXPECT_EQ(parse_duration("200µs"), 200'000u);
  EXPECT_EQ(parse_duration("2m"), 120'000'000'000u);
  EXPECT_EQ(parse_duration("1h"), 3'600'000'000'000u);
  EXPECT_EQ(parse_duration("0s"), 0u);
}

TEST(Units, RefusesWhatIsNoDuration) {
  for (const char* text :
       {"", "10", "ms", "-1s", "1 s", "1e3s", "10mss", "inf", "nan", "99999999999h"})
    EXPECT_FALSE(parse_duration(text).has_value()) << text;
}

TEST(Units, ReadsSizes) {
  EXPECT_EQ(parse_size("4096"), 4096u);
  EXPECT_EQ(parse_size("64k"), 65536u);
  EXPECT_EQ(parse_size("8M"), 8u << 20);
  EXPECT_EQ(parse_size("1G"), 1u << 30);
  for (const char* text : {"", "k", "-1", "1kb", "8 M", "0x10"})
    EXPECT_FALSE(parse_size(text).has_value()) << text;
}

}  // namespace
}  // namespace dbtrace::commands
