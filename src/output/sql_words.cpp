#include "src/output/sql_words.h"

#include <algorithm>

namespace dbtrace::output {
namespace {

constexpr int kMostCommentsInAGap = 16;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

char to_upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

}  // namespace

bool is_sql_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool equals_word(std::string_view word, std::string_view upper) {
  return word.size() == upper.size() && std::equal(word.begin(), word.end(), upper.begin(),
                                                   [](char a, char b) { return to_upper(a) == b; });
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> upper) {
  return std::any_of(upper.begin(), upper.end(),
                     [word](std::string_view candidate) { return equals_word(word, candidate); });
}

size_t SqlWords::Finder::find(std::string_view text, size_t from) {
  if (from < asked || from > found) {
    asked = from;
    found = std::min(text.find(what, from), text.size());
  }
  return found;
}

SqlWords::Gap SqlWords::gap_at(size_t at) {
  Gap gap{at, at, false};
  int comments = 0;
  while (gap.end < text_.size()) {
    const std::string_view rest = text_.substr(gap.end);
    if (is_sql_space(rest[0])) {
      ++gap.end;
    } else if (rest.starts_with("/*!") || rest.starts_with("/*M!")) {
      gap.end += rest[2] == '!' ? 3 : 4;
      while (gap.end < text_.size() && is_digit(text_[gap.end])) ++gap.end;
    } else if (rest.starts_with("*/")) {
      gap.end += 2;
    } else if (rest.starts_with("/*") || rest.starts_with("--") || rest[0] == '#') {
      if (++comments > kMostCommentsInAGap) {
        gap.too_fragmented = true;
        return gap;
      }
      const bool block = rest[0] == '/';
      const size_t end =
          block ? comment_end_.find(text_, gap.end + 2) + 2 : line_end_.find(text_, gap.end) + 1;
      gap.end = std::min(text_.size(), end);
    } else {
      break;
    }
  }
  return gap;
}

std::string_view SqlWords::word_at(size_t at) const {
  size_t end = at;
  while (end < text_.size() && is_word_character(text_[end])) ++end;
  while (at < end && is_digit(text_[at])) ++at;
  return text_.substr(at, end - at);
}

}  // namespace dbtrace::output
