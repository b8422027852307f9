// The text of a statement's digest as MySQL's performance_schema has it
// (DIGEST_TEXT): keywords in upper case, names in backticks, values as '?', lists
// of values and of rows as one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/sql/lexer.h"
#include "src/sql/token_code.h"

namespace dbtrace::sql {

// Keeps its buffers, so that nothing is allocated once they are large enough for
// the statements that come. Not for use by two threads at once.
class DigestText {
 public:
  explicit DigestText(const LexerOptions& options) : options_(options) {}

  // `cut`: the statement goes on behind `text`. The view is good until the next
  // call.
  std::string_view of(std::string_view text, bool cut);

 private:
  struct Item {
    TokenCode code;
    uint32_t begin;  // of what it was made from, in the statement
    uint32_t end;
  };

  void collect(std::string_view text);
  void add_word(Lexer& lexer, const Token& token, std::string_view text);
  void add_operator(const Token& token, std::string_view text);
  void add_value(const Token& token, bool is_number);
  void close_parenthesis(const Token& token);
  void replace_last(size_t count, TokenCode code, uint32_t end);
  [[nodiscard]] bool null_is_value() const;
  void drop_unstable(size_t text_size);
  char* print_name(char* out, const Item& item, std::string_view text) const;
  std::string_view print(std::string_view text, bool cut);

  // The code of the item that many before the last; 0 if there is none.
  [[nodiscard]] TokenCode last(size_t before = 0) const {
    return items_.size() > before ? items_[items_.size() - 1 - before].code : TokenCode{0};
  }

  LexerOptions options_;
  std::vector<Item> items_;
  std::string out_;
  bool in_hint_ = false;
};

}  // namespace dbtrace::sql
