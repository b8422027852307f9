#include "src/sql/postgres_lexer.h"

#include <algorithm>

#include "src/sql/characters.h"

namespace dbtrace::sql {
namespace {

bool begins_name(char c) { return is(c, kWord) && !is(c, kDigit) && c != '$'; }

}  // namespace

PostgresLexer::Token PostgresLexer::token(PgToken kind, size_t end) {
  const size_t begin = at_;
  at_ = std::min(end, text_.size());
  return {kind, begin, at_, end > text_.size()};
}

// Comments nest.
size_t PostgresLexer::block_comment_end(size_t begin) const {
  size_t depth = 0;
  for (size_t place = begin; place + 1 < text_.size();) {
    if (text_[place] == '/' && text_[place + 1] == '*') {
      ++depth;
      place += 2;
    } else if (text_[place] == '*' && text_[place + 1] == '/') {
      place += 2;
      if (--depth == 0) return place;
    } else {
      ++place;
    }
  }
  return text_.size();
}

void PostgresLexer::skip_gap() {
  while (at_ < text_.size()) {
    if (is(text_[at_], kSpace) || text_[at_] == '\0')
      ++at_;
    else if (text_[at_] == '-' && at(at_ + 1) == '-')
      at_ = std::min(text_.find('\n', at_), text_.size());
    else if (text_[at_] == '/' && at(at_ + 1) == '*')
      at_ = block_comment_end(at_);
    else
      return;
  }
}

// What the quote at `quote` begins and the same quote ends; doubled, it is a part of it.
PostgresLexer::Token PostgresLexer::quoted(PgToken kind, size_t quote, bool escapes) {
  const size_t end = quoted_end(text_, quote, escapes);
  return token(kind, end == std::string_view::npos ? text_.size() + 1 : end);
}

PostgresLexer::Token PostgresLexer::word() {
  const char letter = to_upper(text_[at_]), second = at(at_ + 1);
  if (second == '\'' && (letter == 'E' || letter == 'B' || letter == 'X' || letter == 'N'))
    return quoted(PgToken::String, at_ + 1, letter == 'E');
  if (letter == 'U' && second == '&' && (at(at_ + 2) == '\'' || at(at_ + 2) == '"'))
    return quoted(at(at_ + 2) == '"' ? PgToken::QuotedName : PgToken::String, at_ + 2, false);
  size_t end = at_;
  while (is(at(end), kWord)) ++end;
  return token(PgToken::Word, end);
}

PostgresLexer::Token PostgresLexer::number() {
  size_t end = at_;
  const auto digits = [&](unsigned classes) {
    while (is(at(end), classes) || (at(end) == '_' && is(at(end + 1), classes))) ++end;
  };
  const char radix = to_upper(at(at_ + 1));
  if (text_[at_] == '0' && (radix == 'X' || radix == 'O' || radix == 'B')) {
    end += 2;
    digits(kHex);
    return token(PgToken::Number, end);
  }
  digits(kDigit);
  if (at(end) == '.' && at(end + 1) != '.') {
    ++end;
    digits(kDigit);
  }
  if (to_upper(at(end)) == 'E') {
    const size_t exponent = end + 1 + (at(end + 1) == '+' || at(end + 1) == '-' ? 1 : 0);
    if (is(at(exponent), kDigit)) {
      end = exponent;
      digits(kDigit);
    }
  }
  return token(PgToken::Number, end);
}

// $1, or a string between two equal tags.
PostgresLexer::Token PostgresLexer::dollar() {
  size_t end = at_ + 1;
  if (is(at(end), kDigit)) {
    while (is(at(end), kDigit)) ++end;
    return token(PgToken::Parameter, end);
  }
  if (begins_name(at(end)))
    while (is(at(end), kWord) && at(end) != '$') ++end;
  if (end >= text_.size()) return token(PgToken::String, text_.size() + 1);  // in the tag, perhaps
  if (text_[end] != '$') return token(PgToken::Operator, at_ + 1);
  const std::string_view tag = text_.substr(at_, end + 1 - at_);
  const size_t close = text_.find(tag, end + 1);
  return token(PgToken::String,
               close == std::string_view::npos ? text_.size() + 1 : close + tag.size());
}

PostgresLexer::Token PostgresLexer::next() {
  skip_gap();
  if (at_ >= text_.size()) return token(PgToken::End, text_.size());
  const char c = text_[at_];
  if (c == '\'') return quoted(PgToken::String, at_, false);
  if (c == '"') return quoted(PgToken::QuotedName, at_, false);
  if (c == '$') return dollar();
  if (is(c, kDigit) || (c == '.' && is(at(at_ + 1), kDigit))) return number();
  if (begins_name(c)) return word();
  if (c == ':' && at(at_ + 1) == ':') return token(PgToken::Operator, at_ + 2);
  return token(PgToken::Operator, at_ + 1);
}

}  // namespace dbtrace::sql
