// The text of a statement's fingerprint as pt-query-digest (percona-toolkit 3.2)
// makes it. They rewrite the text with regular expressions;
// here the same comes of one pass over the text and a few over the result.
//
// Literals and comments are found as the server finds them, not by pattern, so
// that no part of a literal ever stays in the text. docs/fingerprints.md lists
// where that differs.
#pragma once

#include <string>
#include <string_view>

#include "src/sql/lexer.h"

namespace dbtrace::sql {

// As DigestText.
class PtText {
 public:
  explicit PtText(const LexerOptions& options) : options_(options) {}

  std::string_view of(std::string_view text, bool cut);

 private:
  void strip(std::string_view text);
  void add(char c);
  void add_value();
  void collapse_lists();
  void collapse_unions();
  void collapse_limit();
  void drop_ascending();

  LexerOptions options_;
  std::string text_;
  std::string other_;
  char last_ = '\0';      // of the text, before it was made lower case
  char previous_ = '\0';  // of the statement
  bool in_number_ = false;
  bool line_ended_ = false;  // the statement so far ends with a line end that is text_'s last space
};

}  // namespace dbtrace::sql
