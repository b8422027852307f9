#include "src/sql/lexer.h"

#include <algorithm>
#include <array>

#include "src/sql/characters.h"

namespace dbtrace::sql {
namespace {

// What the first byte of a token says about it.
enum class Start : uint8_t {
  Word,
  Radix,
  National,
  Digit,
  Dot,
  At,
  Quote,
  DoubleQuote,
  Backtick,
  Symbol,
  Invalid
};

constexpr std::array<Start, 256> make_starts() {
  std::array<Start, 256> starts{};
  for (unsigned c = 0; c < 256; ++c) {
    const char character = static_cast<char>(c);
    starts[c] = is(character, kDigit)  ? Start::Digit
                : is(character, kWord) ? Start::Word
                : c > 0x20 && c < 0x7f ? Start::Symbol
                                       : Start::Invalid;
  }
  for (const char c : {'x', 'X', 'b', 'B'}) starts[static_cast<uint8_t>(c)] = Start::Radix;
  for (const char c : {'n', 'N'}) starts[static_cast<uint8_t>(c)] = Start::National;
  starts['.'] = Start::Dot;
  starts['@'] = Start::At;
  starts['\''] = Start::Quote;
  starts['"'] = Start::DoubleQuote;
  starts['`'] = Start::Backtick;
  return starts;
}
constexpr std::array<Start, 256> kStarts = make_starts();

}  // namespace

Token Lexer::token(TokenKind kind, size_t begin, size_t end) {
  at_ = end;
  return {.kind = kind, .begin = static_cast<uint32_t>(begin), .end = static_cast<uint32_t>(end)};
}

Token Lexer::operation(size_t begin, size_t size, size_t which) {
  Token found = token(TokenKind::Operator, begin, begin + size);
  found.operation = static_cast<uint16_t>(which);
  return found;
}

size_t Lexer::word_end(size_t from) const {
  while (from < text_.size() && is(text_[from], kWord)) ++from;
  return from;
}

// Skips a comment that begins at at_.
void Lexer::block_comment() {
  const size_t end = text_.find("*/", at_ + 2);
  at_ = end == std::string_view::npos ? text_.size() : end + 2;
}

// "/*!" or "/*M!" stands at at_, `digits` is where its version may begin.
void Lexer::version_comment(size_t digits) {
  unsigned version = 0;
  size_t end = digits;
  while (end < digits + 6 && is(at(end), kDigit)) {
    version = version * 10 + static_cast<unsigned>(text_[end++] - '0');
  }
  // A version has five digits or six; what is shorter is the code's first number.
  if (end < digits + 5) {
    version = 0;
    end = digits;
  }
  const bool mariadb = options_.dialect == Dialect::MariaDb;
  const bool only_for_mysql =
      mariadb && text_[at_ + 2] == '!' && version > 50'700 && version <= 99'999;
  const unsigned newest = mariadb ? 999'999 : 99'999;
  if (version > (options_.version != 0 ? options_.version : newest) || only_for_mysql)
    return block_comment();
  in_version_comment_ = true;
  at_ = end;
}

void Lexer::skip_gap() {
  while (at_ < text_.size()) {
    const char c = text_[at_], second = at(at_ + 1), third = at(at_ + 2);
    if (is(c, kSpace)) {
      ++at_;
      continue;
    }
    if (c == '/' && second == '*') {
      if (third == '+' && hints_allowed_) return;
      if (third == '!') {
        version_comment(at_ + 3);
      } else if (third == 'M' && at(at_ + 3) == '!' && options_.dialect == Dialect::MariaDb) {
        version_comment(at_ + 4);
      } else {
        block_comment();
      }
    } else if (c == '*' && second == '/' && in_version_comment_) {
      in_version_comment_ = false;
      at_ += 2;
    } else if (c == '#' || (c == '-' && second == '-' && is(third, kSpace | kControl))) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      return;
    }
    // Nor does the server take hints behind a comment.
    hints_allowed_ = false;
  }
}

// What the token before says must follow it at once.
Token Lexer::expected() {
  const Expect expect = expect_;
  expect_ = Expect::Anything;
  switch (expect) {
    case Expect::Dot:
      expect_ = Expect::Name;
      return operation(at_, 1, '.');
    case Expect::Name:
      return word(at_, true);
    case Expect::VariableName:
      return variable_name(at_);
    case Expect::SecondAtSign:
      expect_ = Expect::SystemName;
      return operation(at_, 1, '@');
    case Expect::SystemName:
      if (is(at(at_), kWord)) return token(TokenKind::Word, at_, word_end(at_));
      break;
    case Expect::Anything:
      break;
  }
  return next();
}

Token Lexer::next() {
  if (expect_ != Expect::Anything) return expected();
  if (is(at(at_), kGap)) skip_gap();
  if (at_ >= text_.size()) return token(TokenKind::End, text_.size(), text_.size());

  const size_t begin = at_;
  const char c = text_[begin];
  switch (kStarts[static_cast<uint8_t>(c)]) {
    case Start::Radix:
      if (at(begin + 1) == '\'') return radix(begin);
      return word(begin, false);
    case Start::National:
      if (at(begin + 1) == '\'') return quoted(begin, begin + 1, TokenKind::String);
      return word(begin, false);
    case Start::Word:
      return word(begin, false);
    case Start::Digit:
      return number(begin);
    case Start::Dot:
      return dot(begin);
    case Start::At:
      return at_sign(begin);
    case Start::Quote:
      return quoted(begin, begin, TokenKind::String);
    case Start::DoubleQuote:
      return quoted(begin, begin, options_.ansi_quotes ? TokenKind::QuotedName : TokenKind::String);
    case Start::Backtick:
      return quoted(begin, begin, TokenKind::QuotedName);
    case Start::Symbol:
      return symbol(begin);
    case Start::Invalid:
      break;
  }
  return token(TokenKind::Invalid, begin, begin + 1);
}

Token Lexer::word(size_t begin, bool is_name) {
  hints_allowed_ = false;
  const size_t end = word_end(begin);
  Token found = token(TokenKind::Word, begin, end);
  const bool qualifies = at(end) == '.' && is(at(end + 1), kWord);
  if (qualifies) expect_ = Expect::Dot;
  found.is_name = is_name || qualifies;
  return found;
}

Token Lexer::number(size_t begin) {
  size_t end = begin;
  if (text_[begin] == '0' && (at(begin + 1) == 'x' || at(begin + 1) == 'b')) {
    end = begin + 2;
    const bool hex = text_[begin + 1] == 'x';
    while (hex ? is(at(end), kHex) : at(end) == '0' || at(end) == '1') ++end;
    if (end > begin + 2 && !is(at(end), kWord)) return token(TokenKind::Number, begin, end);
    return word(begin, false);
  }
  while (is(at(end), kDigit)) ++end;
  const auto skip_exponent = [&] {
    if ((at(end) | 0x20) != 'e') return false;
    const size_t digits = end + 1 + (at(end + 1) == '+' || at(end + 1) == '-' ? 1 : 0);
    if (!is(at(digits), kDigit)) return false;
    end = digits;
    while (is(at(end), kDigit)) ++end;
    return true;
  };
  if (is(at(end), kWord)) {
    // "1e5", or a name that begins with digits.
    return skip_exponent() ? token(TokenKind::Number, begin, end) : word(begin, false);
  }
  if (at(end) == '.') {
    ++end;
    while (is(at(end), kDigit)) ++end;
    skip_exponent();
  }
  return token(TokenKind::Number, begin, end);
}

Token Lexer::dot(size_t begin) {
  if (is(at(begin + 1), kDigit)) return number(begin);
  if (is(at(begin + 1), kWord)) expect_ = Expect::Name;
  return operation(begin, 1, '.');
}

Token Lexer::at_sign(size_t begin) {
  const char next = at(begin + 1);
  if (next == '@') {
    expect_ = Expect::SecondAtSign;
  } else if (is(next, kWord) || (!in_hint_ && next != '\'' && next != '"' && next != '`')) {
    expect_ = Expect::VariableName;
  }
  return operation(begin, 1, '@');
}

Token Lexer::variable_name(size_t begin) {
  size_t end = begin;
  while (is(at(end), kWord) || at(end) == '.') ++end;
  return token(in_hint_ ? TokenKind::Word : TokenKind::Variable, begin, end);
}

// What is quoted by the character at `quote`.
Token Lexer::quoted(size_t begin, size_t quote, TokenKind kind) {
  const bool escapes = kind == TokenKind::String && options_.backslash_escapes;
  return to_end(kind, begin, quoted_end(text_, quote, escapes));
}

// x'…' or b'…'
Token Lexer::radix(size_t begin) {
  return to_end(TokenKind::Number, begin, quoted_end(text_, begin + 1, false));
}

// `end` is npos where the text was cut.
Token Lexer::to_end(TokenKind kind, size_t begin, size_t end) {
  const bool unfinished = end == std::string_view::npos;
  Token found = token(kind, begin, unfinished ? text_.size() : end);
  found.unfinished = unfinished;
  return found;
}

Token Lexer::symbol(size_t begin) {
  const char c = text_[begin], second = at(begin + 1);
  if (is(second, kOperatorEnd)) {
    const std::string_view rest = text_.substr(begin, 3);
    for (size_t i = 0; i < std::size(kLongOperators); ++i) {
      const std::string_view candidate = kLongOperators[i];
      if (rest.starts_with(candidate)) return operation(begin, candidate.size(), 256 + i);
    }
  } else if (c == '?') {
    return token(TokenKind::Placeholder, begin, begin + 1);
  } else if (c == '\\' && second == 'N') {
    return token(TokenKind::Null, begin, begin + 2);
  } else if (c == '/' && second == '*') {  // with a '+', or it would be a comment
    in_hint_ = true;
    hints_allowed_ = false;
    return token(TokenKind::HintBegin, begin, begin + 3);
  } else if (c == '*' && second == '/' && in_hint_) {
    in_hint_ = false;
    return token(TokenKind::HintEnd, begin, begin + 2);
  }
  return operation(begin, 1, static_cast<uint8_t>(c));
}

}  // namespace dbtrace::sql
