// The text of a statement's fingerprint as go-mysql's query.Fingerprint() makes
// it, which PMM shows: the statement's own spelling in lower case, with '?' for
// values and "(?+)" for lists, and digits kept in names.
//
// Like PtText it leaves no part of a literal in the text. docs/fingerprints.md
// lists where that differs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/sql/lexer.h"

namespace dbtrace::sql {

// As DigestText.
class PmmText {
 public:
  explicit PmmText(const LexerOptions& options) : options_(options) {}

  std::string_view of(std::string_view text, bool cut);

 private:
  // Each deals with what stands at `at` and returns where to go on.
  size_t space(size_t at);
  size_t string(size_t at);
  size_t quoted_name(size_t at);
  size_t word(size_t at);
  size_t number(size_t at);
  size_t dot(size_t at);
  size_t parenthesis(size_t at);

  [[nodiscard]] size_t comment_end(size_t at) const;
  [[nodiscard]] size_t list_end(size_t at) const;
  [[nodiscard]] bool is_number(size_t at) const;
  void close_parenthesis();
  void end_chunk();
  void add_value();

  [[nodiscard]] char at(size_t place) const { return place < text_.size() ? text_[place] : '\0'; }
  [[nodiscard]] std::string_view chunk() const { return std::string_view(out_).substr(chunk_); }

  LexerOptions options_;
  std::string_view text_;
  std::string out_;
  // Of out_: where what is without space, value or list in it began, and the one
  // before it.
  size_t chunk_ = 0;
  std::string previous_;
  // Open parentheses, and which of them are subqueries behind IN.
  size_t depth_ = 0;
  std::vector<size_t> subqueries_;
  bool in_order_by_ = false;
  bool in_update_of_duplicates_ = false;
};

}  // namespace dbtrace::sql
