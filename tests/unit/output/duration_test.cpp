#include "src/output/duration.h"

#include <gtest/gtest.h>

namespace dbtrace::output {
namespace {

std::string text_of(uint64_t nanoseconds) {
  std::string out;
  append_duration(out, nanoseconds);
  return out;
}

TEST(Duration, HasTheUnitThatKeepsItShort) {
  EXPECT_EQ(text_of(0), "0ns");
  EXPECT_EQ(text_of(999), "999ns");
  EXPECT_EQ(text_of(1'000), "1.0µs");
  EXPECT_EQ(text_of(9'949), "9.9µs");
  EXPECT_EQ(text_of(9'950), "10µs");
  EXPECT_EQ(text_of(123'456), "123µs");
  EXPECT_EQ(text_of(999'499), "999µs");
  EXPECT_EQ(text_of(999'500), "1.0ms");
  EXPECT_EQ(text_of(1'200'000), "1.2ms");
  EXPECT_EQ(text_of(999'999'999), "1.0s");
  EXPECT_EQ(text_of(3'400'000'000), "3.4s");
  EXPECT_EQ(text_of(59'400'000'000), "59s");
  EXPECT_EQ(text_of(60'000'000'000), "1m00s");
  EXPECT_EQ(text_of(59'500'000'000), "1m00s");
  EXPECT_EQ(text_of(3'599'000'000'000), "59m59s");
  EXPECT_EQ(text_of(3'599'600'000'000), "1h00m");
  EXPECT_EQ(text_of(11'045'000'000'000), "3h04m");
  EXPECT_EQ(text_of(UINT64_MAX), "5124095h35m");
}

}  // namespace
}  // namespace dbtrace::output
