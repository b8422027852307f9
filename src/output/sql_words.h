// Just enough of SQL's lexical structure to find keywords: words, and the gaps
// of white space and comments between them.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace dbtrace::output {

[[nodiscard]] bool is_sql_space(char c);
[[nodiscard]] bool is_word_character(char c);

// Compares without case; `upper` is in upper case.
[[nodiscard]] bool equals_word(std::string_view word, std::string_view upper);
[[nodiscard]] bool is_one_of(std::string_view word, std::initializer_list<std::string_view> upper);

class SqlWords {
 public:
  explicit SqlWords(std::string_view text) : text_(text) {}

  struct Gap {
    size_t begin;
    size_t end;           // the first byte behind it; the text's size when nothing follows
    bool too_fragmented;  // so many comments that looking further could take quadratic time
  };

  // The gap that begins at `at`. "/*!50706" and "/*M!" are gaps, what stands in
  // such a comment is not.
  [[nodiscard]] Gap gap_at(size_t at);

  // The word at `at` without leading digits (a versioned comment's number may
  // touch the word behind it); empty when there is none.
  [[nodiscard]] std::string_view word_at(size_t at) const;

 private:
  // Finds `what` at or behind `from`. The last answer is kept: comments that
  // begin before it end there too.
  struct Finder {
    std::string_view what;
    size_t asked = 1;  // nothing kept
    size_t found = 0;
    size_t find(std::string_view text, size_t from);
  };

  std::string_view text_;
  Finder comment_end_{"*/"};
  Finder line_end_{"\n"};
};

}  // namespace dbtrace::output
