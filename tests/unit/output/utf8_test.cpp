#include "src/output/utf8.h"

#include <gtest/gtest.h>

namespace dbtrace::output {
namespace {

TEST(Utf8, DecodesEveryLength) {
  const struct {
    std::string_view bytes;
    char32_t code;
  } cases[] = {
      {"A", 'A'},
      {"\x7f", 0x7f},
      {"\xc2\x80", 0x80},
      {"\xdf\xbf", 0x7ff},
      {"\xe0\xa0\x80", 0x800},
      {"\xed\x9f\xbf", 0xd7ff},
      {"\xee\x80\x80", 0xe000},
      {"\xef\xbf\xbf", 0xffff},
      {"\xf0\x90\x80\x80", 0x10000},
      {"\xf4\x8f\xbf\xbf", 0x10ffff},
  };
  for (const auto& test : cases) {
    const Character character = decode_character(test.bytes, 0);
    EXPECT_EQ(character.code, test.code);
    EXPECT_EQ(character.size, test.bytes.size());
    std::string encoded;
    append_character(encoded, test.code);
    EXPECT_EQ(encoded, test.bytes);
  }
}

TEST(Utf8, RefusesWhatIsNotUtf8OneByteAtATime) {
  for (std::string_view bytes : {
           "\x80",
           "\xbf",
           "\xff",
           "\xfe",  // no character begins so
           "\xc0\x80",
           "\xc1\xbf",  // overlong
           "\xe0\x9f\xbf",
           "\xf0\x8f\xbf\xbf",  // overlong
           "\xed\xa0\x80",
           "\xed\xbf\xbf",  // surrogates
           "\xf4\x90\x80\x80",
           "\xf5\x80\x80\x80",  // beyond Unicode
           "\xc3",
           "\xe2\x82",
           "\xf0\x9f\x98",  // cut
           "\xc3(",
           "\xe2(\xa1",
           "\xe2\x82(",
           "\xf0\x9f\x98(",  // continued wrongly
       }) {
    const Character character = decode_character(bytes, 0);
    EXPECT_EQ(character.code, kInvalidCharacter);
    EXPECT_EQ(character.size, 1);
  }
}

TEST(Utf8, CutsBackOnlyAnUnfinishedCharacter) {
  EXPECT_EQ(without_unfinished_character(""), "");
  EXPECT_EQ(without_unfinished_character("abc"), "abc");
  EXPECT_EQ(without_unfinished_character("ab\xc3"), "ab");
  EXPECT_EQ(without_unfinished_character("ab\xe2\x82"), "ab");
  EXPECT_EQ(without_unfinished_character("\xf0\x9f\x98"), "");
  EXPECT_EQ(without_unfinished_character("ab\xe2\x82\xac"), "ab\xe2\x82\xac");
  EXPECT_EQ(without_unfinished_character("ab\xff"), "ab\xff");
  EXPECT_EQ(without_unfinished_character("ab\x80\x80"), "ab\x80\x80");
  EXPECT_EQ(without_unfinished_character("ab\x80\x80\x80\x80"), "ab\x80\x80\x80\x80");
  EXPECT_EQ(without_unfinished_character("ab\xed\xa0"), "ab\xed\xa0");  // a surrogate's beginning
}

}  // namespace
}  // namespace dbtrace::output
