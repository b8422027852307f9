// PostgreSQL's SQL as tokens: what its lexer sees (manual: "Lexical Structure"), with
// standard_conforming_strings on, its default.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dbtrace::sql {

enum class PgToken : uint8_t {
  End,
  Word,        // a keyword or a name without quotes
  QuotedName,  // "…", U&"…"
  Number,      // 1, .5, 1e3, 0x1F, 1_000
  String,      // '…', E'…', B'…', X'…', N'…', U&'…', $tag$…$tag$
  Parameter,   // $1
  Operator,    // one character, or "::"
};

// Goes through a text once, from its begin to its end; constant memory, no allocation, time
// linear in the text, whatever the bytes are. The text must outlive the lexer.
class PostgresLexer {
 public:
  explicit PostgresLexer(std::string_view text) : text_(text) {}

  struct Token {
    PgToken kind;
    size_t begin;
    size_t end;
    bool unfinished = false;  // the end of the text cut it short, or may have
  };
  // End for ever when there is none. White space and comments are not reported.
  Token next();

 private:
  void skip_gap();
  [[nodiscard]] size_t block_comment_end(size_t begin) const;
  Token word();
  Token number();
  Token dollar();
  Token quoted(PgToken kind, size_t quote, bool escapes);
  Token token(PgToken kind, size_t end);

  [[nodiscard]] char at(size_t place) const { return place < text_.size() ? text_[place] : '\0'; }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace dbtrace::sql
