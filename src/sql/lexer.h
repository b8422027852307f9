// MySQL's and MariaDB's SQL as tokens: what the servers' own lexers see, without
// their settings (sql_mode and character set are not known to a tracer; what
// matters of them are options).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dbtrace::sql {

// PostgreSql's texts have a lexer of their own (postgres_lexer.h); this one gets through them, as
// far as strings and names go.
enum class Dialect : uint8_t { MySql, MariaDb, PostgreSql };

struct LexerOptions {
  Dialect dialect = Dialect::MySql;
  bool ansi_quotes = false;       // sql_mode ANSI_QUOTES: "…" is a name
  bool backslash_escapes = true;  // off: sql_mode NO_BACKSLASH_ESCAPES
  // What is in "/*!80017 … */" counts when 80017 is not above this: the server's
  // version. 0: whatever a server of the dialect can have.
  unsigned version = 0;
};

enum class TokenKind : uint8_t {
  End,
  Word,         // a keyword or a name without quotes
  QuotedName,   // `…`, or "…" with ANSI_QUOTES
  Number,       // 1, .5, 1e3, 0x1F, 0b1, x'1F', b'1'
  String,       // '…', "…", N'…'
  Placeholder,  // ?
  Null,         // \N; the word NULL is a Word
  Variable,     // what follows an '@' without quotes; may be empty
  HintBegin,    // "/*+" behind a statement's first keyword
  HintEnd,
  Operator,  // one or more characters
  Invalid,   // a byte that is no SQL
};

// Operators of more than one character, longer ones before their beginnings.
inline constexpr std::string_view kLongOperators[] = {"->>", "<=>", "->", "<=", ">=", "<>",
                                                      "!=",  "<<",  ">>", ":=", "&&", "||"};

struct Token {
  TokenKind kind;
  // Of an Operator: its character, or 256 + its place among kLongOperators.
  uint16_t operation = 0;
  // In a string, a name or x'…' that the end of the text cut short.
  bool unfinished = false;
  // A Word that cannot be a keyword: it stands beside a '.' ("t.select").
  bool is_name = false;
  uint32_t begin = 0;
  uint32_t end = 0;
};

// Goes through a text once, from its begin to its end; constant memory, no
// allocation, time linear in the text, whatever the bytes are. The text must
// outlive the lexer; of texts beyond kLongestText the rest is not looked at.
class Lexer {
 public:
  static constexpr size_t kLongestText = UINT32_MAX - 1;

  explicit Lexer(std::string_view text, const LexerOptions& options = {})
      : text_(text.substr(0, kLongestText)), options_(options) {}

  // The next token; End for ever when there is none. White space and comments
  // are not reported; what is in version comments that count is.
  Token next();

  // Call it behind a keyword that may be followed by optimizer hints: "/*+" is
  // then a token, otherwise a comment.
  void allow_hints() { hints_allowed_ = true; }

 private:
  // What the characters before say that must follow, without a gap.
  enum class Expect : uint8_t { Anything, Dot, Name, VariableName, SecondAtSign, SystemName };

  Token expected();
  void skip_gap();
  void block_comment();
  void version_comment(size_t digits);
  Token word(size_t begin, bool is_name);
  Token number(size_t begin);
  Token dot(size_t begin);
  Token at_sign(size_t begin);
  Token quoted(size_t begin, size_t quote, TokenKind kind);
  Token radix(size_t begin);
  Token to_end(TokenKind kind, size_t begin, size_t end);
  Token variable_name(size_t begin);
  Token symbol(size_t begin);
  Token token(TokenKind kind, size_t begin, size_t end);
  Token operation(size_t begin, size_t size, size_t which);

  [[nodiscard]] char at(size_t place) const { return place < text_.size() ? text_[place] : '\0'; }
  [[nodiscard]] size_t word_end(size_t from) const;

  std::string_view text_;
  LexerOptions options_;
  size_t at_ = 0;
  Expect expect_ = Expect::Anything;
  bool in_version_comment_ = false;
  bool hints_allowed_ = false;
  bool in_hint_ = false;
};

}  // namespace dbtrace::sql
