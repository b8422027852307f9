#include "src/sql/postgres_text.h"

#include <algorithm>

#include "src/sql/characters.h"
#include "src/sql/cut_end.h"
#include "src/sql/postgres_lexer.h"

namespace dbtrace::sql {
namespace {

// Constants that are words.
bool is_constant(std::string_view word) {
  return equals_word(word, "TRUE") || equals_word(word, "FALSE");
}

bool is_name_end(char c) { return is(c, kWord) || c == '"' || c == ')' || c == ']' || c == '?'; }

// Keywords behind which a sign belongs to the number that follows.
bool expects_value(std::string_view out) {
  for (const std::string_view word :
       {"select", "where", "and",  "or",   "not",    "between", "limit",
        "offset", "then",  "else", "when", "values", "return",  "returning",
        "set",    "in",    "like", "by",   "on",     "case"})
    if (out.ends_with(word) &&
        (out.size() == word.size() || out[out.size() - word.size() - 1] == ' '))
      return true;
  return false;
}

}  // namespace

void PostgresText::add(std::string_view token, bool lower) {
  if (!out_.empty()) out_ += ' ';
  if (!lower) {
    out_ += token;
    return;
  }
  for (const char c : token) out_ += to_lower(c);
}

// A sign before it belongs to it, unless something stands before the sign that it could be
// taken from; a list of constants goes on as the one before.
void PostgresText::add_constant() {
  if (ends_with(" -") || ends_with(" +") || out_ == "-" || out_ == "+") {
    const std::string_view before = std::string_view(out_).substr(0, out_.size() - 1);
    const std::string_view rest = before.substr(0, before.find_last_not_of(' ') + 1);
    if (rest.empty() || !is_name_end(rest.back()) || expects_value(rest)) out_.resize(rest.size());
  }
  if (ends_with("? ,")) {
    out_.resize(out_.size() - 2);
    return;
  }
  add("?", false);
}

std::string_view PostgresText::of(std::string_view text, bool cut) {
  out_.clear();
  PostgresLexer lexer(text);
  for (auto token = lexer.next(); token.kind != PgToken::End; token = lexer.next()) {
    const std::string_view piece = text.substr(token.begin, token.end - token.begin);
    switch (token.kind) {
      case PgToken::Word:
        is_constant(piece) ? add_constant() : add(piece, true);
        break;
      case PgToken::Number:
      case PgToken::String:
      case PgToken::Parameter:
        add_constant();
        break;
      case PgToken::QuotedName:
        // "t" is t.
        if (piece.size() > 2 && piece.front() == '"' && !token.unfinished &&
            !is(piece[1], kDigit) && std::all_of(piece.begin() + 1, piece.end() - 1, [](char c) {
              return is(c, kWord) && c != '$' && to_lower(c) == c;
            }))
          add(piece.substr(1, piece.size() - 2), false);
        else
          add(piece, false);
        break;
      case PgToken::Operator:
      case PgToken::End:
        add(piece, false);
        break;
    }
  }
  if (cut) {
    drop_cut_end(out_);
    out_ += "...";
    return out_;
  }
  while (ends_with(" ;") || out_ == ";")
    out_.resize(out_.size() - std::min<size_t>(2, out_.size()));
  return out_;
}

}  // namespace dbtrace::sql
