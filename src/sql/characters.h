// What a byte can be in SQL.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dbtrace::sql {

enum CharacterClass : uint8_t {
  kWord = 1,  // may stand in a name without quotes: letters, digits, _ $ and all beyond ASCII
  kDigit = 2,
  kHex = 4,
  kSpace = 8,
  kControl = 16,
  kGap = 64,          // begins white space, a comment, or the end of a version comment
  kOperatorEnd = 32,  // second of an operator of more than one character
};

namespace internal {
constexpr std::array<uint8_t, 256> make_character_classes() {
  std::array<uint8_t, 256> classes{};
  for (unsigned c = 0; c < 256; ++c) {
    const bool digit = c >= '0' && c <= '9';
    const unsigned lower = c | 0x20U;
    const bool letter = lower >= 'a' && lower <= 'z' && c < 0x80;
    unsigned bits = 0;
    if (digit || letter || c == '_' || c == '$' || c >= 0x80) bits |= kWord;
    if (digit) bits |= kDigit;
    if (digit || (letter && lower <= 'f')) bits |= kHex;
    if (c == ' ' || (c >= '\t' && c <= '\r')) bits |= kSpace;
    if (c < 0x20 || c == 0x7f) bits |= kControl;
    if ((bits & kSpace) != 0 || c == '/' || c == '*' || c == '-' || c == '#') bits |= kGap;
    if (c == '>' || c == '=' || c == '<' || c == '&' || c == '|') bits |= kOperatorEnd;
    classes[c] = static_cast<uint8_t>(bits);
  }
  return classes;
}
inline constexpr std::array<uint8_t, 256> kCharacterClasses = make_character_classes();
}  // namespace internal

constexpr bool is(char c, unsigned classes) {
  return (internal::kCharacterClasses[static_cast<uint8_t>(c)] & classes) != 0;
}

constexpr char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }
constexpr char to_upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c & ~0x20) : c; }

// Compares without case; `upper` is in upper case.
constexpr bool equals_word(std::string_view word, std::string_view upper) {
  if (word.size() != upper.size()) return false;
  for (size_t i = 0; i < word.size(); ++i) {
    if (to_upper(word[i]) != upper[i]) return false;
  }
  return true;
}

// Letters, digits and '_': what a regular expression calls a word.
constexpr bool is_plain_word(char c) {
  return is(c, kWord) && c != '$' && static_cast<unsigned char>(c) < 0x80;
}

constexpr size_t skip_plain_word(std::string_view text, size_t at) {
  while (at < text.size() && is_plain_word(text[at])) ++at;
  return at;
}

// The text at `at` begins with `upper`, in any case.
constexpr bool starts_with_word(std::string_view text, size_t at, std::string_view upper) {
  return at <= text.size() && equals_word(text.substr(at, upper.size()), upper);
}

constexpr size_t skip_space(std::string_view text, size_t at) {
  while (at < text.size() && is(text[at], kSpace)) ++at;
  return at;
}

// Behind the quoted text that begins with the quote at `begin`; a doubled quote is
// a part of it. npos if it does not end.
constexpr size_t quoted_end(std::string_view text, size_t begin, bool backslash_escapes) {
  const char quote = text[begin];
  for (size_t at = begin + 1; at < text.size(); ++at) {
    if (text[at] == quote) {
      if (at + 1 == text.size() || text[at + 1] != quote) return at + 1;
      ++at;
    } else if (text[at] == '\\' && backslash_escapes) {
      ++at;
    }
  }
  return std::string_view::npos;
}

}  // namespace dbtrace::sql
