// The keywords of MySQL 9, with what a digest must know of each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/sql/token_code.h"

namespace dbtrace::sql {

struct Keyword {
  TokenCode code;         // the same for synonyms
  bool function = false;  // is one only when a '(' touches it
};

enum KeywordTraits : uint8_t {
  kBeforeExpression = 1,  // an expression follows: a '-' behind it is a sign
  kBeforeValue = 2,       // NULL behind it is a value
  kBeforeHint = 4,        // "/*+ … */" may follow
};

// In any case; null when it is none. Character sets are there with their '_'.
[[nodiscard]] const Keyword* find_keyword(std::string_view word);

// By a keyword's code less kFirstKeyword: its text with a space behind it, of which
// 16 bytes can be read even if it is shorter, and its KeywordTraits.
inline constexpr size_t kMostKeywords = 1000;
inline constexpr size_t kLongestKeyword = 40;
extern const std::array<std::string_view, kMostKeywords> kKeywordTexts;
extern const std::array<uint8_t, kMostKeywords> kKeywordTraits;

[[nodiscard]] inline std::string_view keyword_text(TokenCode keyword) {
  return kKeywordTexts[keyword - code::kFirstKeyword];
}
[[nodiscard]] inline uint8_t keyword_traits(TokenCode keyword) {
  return kKeywordTraits[keyword - code::kFirstKeyword];
}

// Of a word that is one.
[[nodiscard]] TokenCode keyword_code(std::string_view word);

}  // namespace dbtrace::sql
