// How it works. Tokens go on a stack; each may reduce what lies on its top, as
// the server does it: a sign and a number to a value, a value and a list to a
// list, parentheses around values to a row, rows to rows. What remains is printed.
#include "src/sql/digest_text.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "src/sql/characters.h"
#include "src/sql/keywords.h"

namespace dbtrace::sql {
namespace {

// What is printed for codes between the one-character operators and the keywords;
// each with the space behind it.
constexpr std::array<std::string_view, code::kFirstKeyword> make_texts() {
  std::array<std::string_view, code::kFirstKeyword> texts{};
  constexpr std::string_view kOperators[] = {
      "->> ", "<=> ", "-> ", "<= ", ">= ", "!= ", "!= ", "<< ", ">> ", ":= ", "&& ", "|| "};
  static_assert(std::size(kOperators) == std::size(kLongOperators));
  for (size_t i = 0; i < std::size(kOperators); ++i) texts[256 + i] = kOperators[i];
  texts[code::kCharacterSet] = "(_charset) ";
  texts[code::kHintBegin] = "/*+ ";
  texts[code::kHintEnd] = "*/ ";
  texts[code::kValue] = "? ";
  texts[code::kValues] = "?, ... ";
  texts[code::kRow] = "(?) ";
  texts[code::kRows] = "(?) /* , ... */ ";
  texts[code::kLongRow] = "(...) ";
  texts[code::kLongRows] = "(...) /* , ... */ ";
  texts[code::kInValues] = "IN (...) ";
  return texts;
}
constexpr auto kTexts = make_texts();

const TokenCode kIn = keyword_code("IN");
const TokenCode kNot = keyword_code("NOT");
const TokenCode kNull = keyword_code("NULL");

// Optimizer hints, from MySQL's manual; any other word in a hint is a name.
constexpr std::string_view kHints[] = {"BKA",
                                       "BNL",
                                       "DERIVED_CONDITION_PUSHDOWN",
                                       "DUPSWEEDOUT",
                                       "FIRSTMATCH",
                                       "GROUP_INDEX",
                                       "HASH_JOIN",
                                       "INDEX",
                                       "INDEX_MERGE",
                                       "INTOEXISTS",
                                       "JOIN_FIXED_ORDER",
                                       "JOIN_INDEX",
                                       "JOIN_ORDER",
                                       "JOIN_PREFIX",
                                       "JOIN_SUFFIX",
                                       "LOOSESCAN",
                                       "MATERIALIZATION",
                                       "MAX_EXECUTION_TIME",
                                       "MERGE",
                                       "MRR",
                                       "NO_BKA",
                                       "NO_BNL",
                                       "NO_DERIVED_CONDITION_PUSHDOWN",
                                       "NO_GROUP_INDEX",
                                       "NO_HASH_JOIN",
                                       "NO_ICP",
                                       "NO_INDEX",
                                       "NO_INDEX_MERGE",
                                       "NO_JOIN_INDEX",
                                       "NO_MERGE",
                                       "NO_MRR",
                                       "NO_ORDER_INDEX",
                                       "NO_RANGE_OPTIMIZATION",
                                       "NO_SEMIJOIN",
                                       "NO_SKIP_SCAN",
                                       "ORDER_INDEX",
                                       "QB_NAME",
                                       "RESOURCE_GROUP",
                                       "SEMIJOIN",
                                       "SET_VAR",
                                       "SKIP_SCAN",
                                       "SUBQUERY"};

constexpr TokenCode kAssign = 256 + 9;
static_assert(kLongOperators[kAssign - 256] == ":=");

constexpr std::string_view kBeforeExpressionOperators = "(,|&+-*/%^=<>";

// "!" and "~" are not among these, as the server has it: "! - 1" is "! - ?".
bool begins_expression(TokenCode before) {
  if (before >= code::kFirstKeyword) return (keyword_traits(before) & kBeforeExpression) != 0;
  if (before >= 256) {
    if (before >= code::kName) return false;
    const std::string_view operation = kLongOperators[before - 256];
    return operation != ":=" && !operation.starts_with("->");
  }
  return before != 0 &&
         kBeforeExpressionOperators.find(static_cast<char>(before)) != std::string_view::npos;
}

bool begins_value(TokenCode before) {
  if (before >= code::kFirstKeyword) return (keyword_traits(before) & kBeforeValue) != 0;
  return begins_expression(before) || before == '!' || before == '~' || before == kAssign ||
         before == code::kHintEnd;
}

// A call of memcpy costs more than the copy of a short text. Writes up to 16 bytes
// more than `size`; reads them, too, where `readable` allows it.
char* copy(char* out, const char* from, size_t size, size_t readable) {
  if (size <= 16 && readable >= 16) {
    std::memcpy(out, from, 16);
  } else {
    std::memcpy(out, from, size);
  }
  return out + size;
}

}  // namespace

std::string_view DigestText::of(std::string_view text, bool cut) {
  items_.clear();
  text = text.substr(0, Lexer::kLongestText);
  collect(text);
  if (cut) {
    drop_unstable(text.size());
  } else {
    while (last() == ';') items_.pop_back();
  }
  return print(text, cut);
}

void DigestText::collect(std::string_view text) {
  Lexer lexer(text, options_);
  in_hint_ = false;
  for (Token token = lexer.next(); token.kind != TokenKind::End; token = lexer.next()) {
    switch (token.kind) {
      case TokenKind::Word:
        add_word(lexer, token, text);
        break;
      case TokenKind::QuotedName:
        items_.push_back({in_hint_ ? code::kHintName : code::kName, token.begin, token.end});
        break;
      case TokenKind::Number:
        add_value(token, true);
        break;
      case TokenKind::String:
      case TokenKind::Placeholder:
      case TokenKind::Variable:
      case TokenKind::Null:
        add_value(token, false);
        break;
      case TokenKind::HintBegin:
        in_hint_ = true;
        items_.push_back({code::kHintBegin, token.begin, token.end});
        break;
      case TokenKind::HintEnd:
        in_hint_ = false;
        items_.push_back({code::kHintEnd, token.begin, token.end});
        break;
      case TokenKind::Operator:
        if (token.operation == ')') {
          close_parenthesis(token);
        } else {
          items_.push_back({token.operation, token.begin, token.end});
        }
        break;
      case TokenKind::Invalid:
      case TokenKind::End:
        break;
    }
  }
}

void DigestText::add_word(Lexer& lexer, const Token& token, std::string_view text) {
  const std::string_view word = text.substr(token.begin, token.end - token.begin);
  TokenCode found = code::kName;
  if (in_hint_) {
    const bool hint = last() != '@' &&
                      std::any_of(std::begin(kHints), std::end(kHints),
                                  [&](std::string_view name) { return equals_word(word, name); });
    found = hint ? code::kHintKeyword : code::kHintName;
  } else if (!token.is_name) {
    const Keyword* keyword = find_keyword(word);
    if (keyword != nullptr &&
        (!keyword->function || (token.end < text.size() && text[token.end] == '('))) {
      found = keyword->code;
    }
  }
  if (found >= code::kFirstKeyword) {
    if (found == kNull && null_is_value()) return add_value(token, false);
    if ((keyword_traits(found) & kBeforeHint) != 0) lexer.allow_hints();
  }
  items_.push_back({found, token.begin, token.end});
}

// Whether a NULL that comes now is a value, not a part of "IS NULL", "NOT NULL"
// behind a column's type, "SET NULL".
bool DigestText::null_is_value() const { return begins_value(last() == kNot ? last(1) : last()); }

void DigestText::replace_last(size_t count, TokenCode code, uint32_t end) {
  for (size_t i = 1; i < count; ++i) items_.pop_back();
  items_.back().code = code;
  items_.back().end = end;
}

void DigestText::add_value(const Token& token, bool is_number) {
  uint32_t begin = token.begin;
  if (is_number) {
    while ((last() == '-' || last() == '+') && begins_expression(last(1))) {
      begin = items_.back().begin;
      items_.pop_back();
    }
  }
  if (last() == ',' && (last(1) == code::kValue || last(1) == code::kValues)) {
    replace_last(2, code::kValues, token.end);
  } else {
    items_.push_back({code::kValue, begin, token.end});
  }
}

void DigestText::close_parenthesis(const Token& token) {
  const TokenCode inside = last();
  if (last(1) != '(' || (inside != code::kValue && inside != code::kValues)) {
    items_.push_back({')', token.begin, token.end});
    return;
  }
  const bool is_long = inside == code::kValues;
  const TokenCode row = is_long ? code::kLongRow : code::kRow;
  const TokenCode rows = is_long ? code::kLongRows : code::kRows;
  replace_last(2, row, token.end);
  if (last(1) == ',' && (last(2) == row || last(2) == rows)) {
    replace_last(3, rows, token.end);
  } else if (last(1) == kIn) {
    replace_last(2, code::kInValues, token.end);
  }
}

// Takes away what could read otherwise if the text went on: a token that touches
// the end, and lists and signs, which what follows may reduce. So a list that is
// cut leads to the same text wherever the cut fell.
void DigestText::drop_unstable(size_t text_size) {
  const auto is_open = [](TokenCode code) {
    return (code >= code::kValue && code <= code::kLongRows) || code == ',' || code == '(' ||
           code == '-' || code == '+' || code == ';';
  };
  while (!items_.empty()) {
    Item& item = items_.back();
    if (item.code == code::kInValues) {
      item = {kIn, item.begin, item.begin + 2};
      return;
    }
    if (item.end != text_size && !is_open(item.code)) return;
    const Item dropped = item;
    items_.pop_back();
    // "select." can become a name, "1e-" a number.
    const bool belongs = dropped.code == '.' || dropped.code == '-' || dropped.code == '+';
    if (belongs && !items_.empty() && items_.back().end == dropped.begin) items_.pop_back();
  }
}

char* DigestText::print_name(char* out, const Item& item, std::string_view text) const {
  const char quote = text[item.begin];
  *out++ = '`';
  if (quote != '`' && quote != '"') {
    out = copy(out, text.data() + item.begin, item.end - item.begin, text.size() - item.begin);
  } else {
    for (uint32_t at = item.begin + 1; at < item.end; ++at) {
      // Within, the quote is doubled; at the end it may be missing.
      if (text[at] == quote && ++at == item.end) break;
      *out++ = text[at];
    }
  }
  *out++ = '`';
  return out;
}

std::string_view DigestText::print(std::string_view text, bool cut) {
  // Items share the statement among them, and print at most so much more each.
  constexpr size_t kMore = kLongestKeyword + 8;
  const size_t most = text.size() + kMore * (items_.size() + 1);
  if (out_.size() < most) out_.resize(most);
  char* out = out_.data();

  for (size_t i = 0; i < items_.size(); ++i) {
    const Item& item = items_[i];
    if (item.code >= code::kFirstKeyword) {
      const std::string_view word = keyword_text(item.code);
      out = copy(out, word.data(), word.size(), 16);
    } else if (item.code == code::kName) {
      out = print_name(out, item, text);
      *out++ = ' ';
    } else if (item.code < 256) {
      *out++ = static_cast<char>(item.code);
      if (item.code != '@') *out++ = ' ';
    } else if (item.code == code::kHintName) {
      out = print_name(out, item, text);
      if (i + 1 == items_.size() || items_[i + 1].code != '@') *out++ = ' ';
    } else if (item.code == code::kHintKeyword) {
      for (uint32_t at = item.begin; at < item.end; ++at) *out++ = to_upper(text[at]);
      *out++ = ' ';
    } else {
      const std::string_view fixed = kTexts[item.code];
      out = copy(out, fixed.data(), fixed.size(), fixed.size());
    }
  }
  if (cut) {
    std::memcpy(out, "... ", 4);
    out += 4;
  }
  if (out > out_.data() && out[-1] == ' ') --out;
  return {out_.data(), static_cast<size_t>(out - out_.data())};
}

}  // namespace dbtrace::sql
