// UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing
// beyond U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dbtrace::output {

inline constexpr char32_t kInvalidCharacter = 0xffffffff;

struct Character {
  char32_t code;  // kInvalidCharacter: the byte does not begin a valid character
  uint8_t size;   // bytes it takes; 1 for an invalid byte
};

// The character at `at`, which must be less than bytes.size().
[[nodiscard]] Character decode_character(std::string_view bytes, size_t at);

// `text` without an unfinished character at its end, which is what cutting a
// text at a byte limit leaves behind. Bytes that can not begin or continue a
// character are not touched.
[[nodiscard]] std::string_view without_unfinished_character(std::string_view text);

// Appends `code` (a valid code point) in UTF-8.
void append_character(std::string& out, char32_t code);

}  // namespace dbtrace::output
