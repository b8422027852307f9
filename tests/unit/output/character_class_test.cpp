#include "src/output/character_class.h"

#include <gtest/gtest.h>

namespace dbtrace::output {
namespace {

TEST(CharacterClass, ControlsAndInvisiblesAreUnsafe) {
  for (char32_t code : {0x00,   0x07,   0x0a,   0x1b,   0x1f,   0x7f,   0x80,    0x9b,
                        0x9f,   0xad,   0x200b, 0x200d, 0x200e, 0x2028, 0x2029,  0x202a,
                        0x202e, 0x2060, 0x2066, 0x2069, 0xfeff, 0x61c,  0xe0001, 0xe0041}) {
    EXPECT_TRUE(is_unsafe(code)) << std::hex << static_cast<uint32_t>(code);
  }
  for (char32_t code : {0x20, 0x41, 0x7e, 0xa0, 0xe9, 0x3b1, 0x200a, 0x2010, 0x2027, 0x202f, 0x20ac,
                        0x4e2d, 0xfffd, 0x1f600, 0x20000}) {
    EXPECT_FALSE(is_unsafe(code)) << std::hex << static_cast<uint32_t>(code);
  }
}

TEST(CharacterClass, WidthFollowsTheScript) {
  for (char32_t code : {0x41, 0xe9, 0x3b1, 0x434, 0x5d0, 0x20ac, 0xff61, 0x2026}) {
    EXPECT_EQ(display_width(code), 1U) << std::hex << static_cast<uint32_t>(code);
  }
  for (char32_t code : {0x1100, 0x3042, 0x4e2d, 0xac00, 0xff21, 0x1f600, 0x20000, 0x2705}) {
    EXPECT_EQ(display_width(code), 2U) << std::hex << static_cast<uint32_t>(code);
  }
  for (char32_t code : {0x301, 0x36f, 0x5b0, 0x20d0, 0x3099, 0xfe0f}) {
    EXPECT_EQ(display_width(code), 0U) << std::hex << static_cast<uint32_t>(code);
  }
}

}  // namespace
}  // namespace dbtrace::output
