#include "src/output/byte_size.h"

#include <gtest/gtest.h>

namespace dbtrace::output {
namespace {

std::string text_of(uint64_t bytes) {
  std::string out;
  append_byte_size(out, bytes);
  return out;
}

TEST(ByteSize, UnitsArePowersOf1024) {
  EXPECT_EQ(text_of(0), "0");
  EXPECT_EQ(text_of(1023), "1023");
  EXPECT_EQ(text_of(1024), "1.0k");
  EXPECT_EQ(text_of(16'384), "16k");
  EXPECT_EQ(text_of(1'572'864), "1.5M");
  EXPECT_EQ(text_of(uint64_t{5} << 30), "5.0G");
  EXPECT_EQ(text_of(uint64_t{3} << 40), "3.0T");
}

TEST(ByteSize, NeverReadsLikeMore) {
  EXPECT_EQ(text_of(2047), "1.9k");
  EXPECT_EQ(text_of((uint64_t{1} << 20) - 1), "1023k");
  EXPECT_EQ(text_of(UINT64_MAX), "15E");
}

}  // namespace
}  // namespace dbtrace::output
