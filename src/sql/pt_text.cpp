#include "src/sql/pt_text.h"

#include <algorithm>
#include <cstring>

#include "src/sql/characters.h"
#include "src/sql/cut_end.h"

namespace dbtrace::sql {
namespace {

constexpr size_t npos = std::string_view::npos;

// What stands for every statement of mysqldump and of the toolkit itself.
constexpr std::string_view kMysqldump = "SELECT /*!40001 SQL_NO_CACHE */ * FROM `";

// Letters, digits and '_': what a regular expression calls a word.
bool is_plain_word(char c) {
  return is(c, kWord) && c != '$' && static_cast<unsigned char>(c) < 0x80;
}

bool is_number_start(char c) { return is(c, kDigit) || c == '+' || c == '-'; }

bool is_number_part(char c) {
  return is_number_start(c) || (c >= 'a' && c <= 'f') || c == '.' || c == 'x';
}

bool starts_without_case(std::string_view text, size_t at, std::string_view upper) {
  return at <= text.size() && equals_word(text.substr(at, upper.size()), upper);
}

size_t skip_space(std::string_view text, size_t at) {
  while (at < text.size() && is(text[at], kSpace)) ++at;
  return at;
}

size_t skip_word(std::string_view text, size_t at) {
  while (at < text.size() && is_plain_word(text[at])) ++at;
  return at;
}

// The size of TRUE or FALSE at `at`; 0 when none of them is there.
size_t boolean_at(std::string_view text, size_t at) {
  if ((text[at] | 0x20) != 't' && (text[at] | 0x20) != 'f') return 0;
  for (const std::string_view word : {"TRUE", "FALSE"}) {
    const size_t end = at + word.size();
    if (starts_without_case(text, at, word) && (end == text.size() || !is_plain_word(text[end]))) {
      return word.size();
    }
  }
  return 0;
}

// "/*db.table:1/2*/", which the toolkit's own statements carry.
bool has_toolkit_mark(std::string_view text) {
  for (size_t begin = text.find("/*"); begin != npos; begin = text.find("/*", begin + 2)) {
    const size_t dot = skip_word(text, begin + 2);
    if (dot == begin + 2 || dot >= text.size() || text[dot] != '.') continue;
    const size_t colon = skip_word(text, dot + 1);
    const std::string_view rest = text.substr(colon);
    if (colon > dot + 1 && rest.size() >= 6 && rest[0] == ':' && is(rest[1], kDigit) &&
        rest[2] == '/' && is(rest[3], kDigit) && rest.substr(4, 2) == "*/") {
      return true;
    }
  }
  return false;
}

// Where "call name" ends, in front of a '('; npos when it is no such statement.
size_t end_of_call(std::string_view text) {
  if (!starts_without_case(text, 0, "CALL")) return npos;
  const size_t name = skip_space(text, 4);
  if (name == 4) return npos;
  size_t end = name;
  while (end < text.size() && !is(text[end], kSpace)) ++end;
  const size_t parenthesis = text.substr(0, end).rfind('(');
  return parenthesis == npos || parenthesis <= name ? npos : parenthesis;
}

// An INSERT of several rows counts up to the ')' with which its first row ends:
// the first that has ", (" behind it. npos when there is none.
size_t end_of_first_row(std::string_view text, bool backslash_escapes) {
  size_t at = starts_without_case(text, 0, "INSERT")    ? 6
              : starts_without_case(text, 0, "REPLACE") ? 7
                                                        : npos;
  if (at == npos) return npos;
  if (starts_without_case(text, at, " IGNORE")) at += 7;
  const size_t into = skip_space(text, at);
  if (into == at || !starts_without_case(text, into, "INTO")) return npos;
  bool in_values = false;
  for (at = into + 5; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\'' || c == '"') {
      const size_t end = quoted_end(text, at, backslash_escapes);
      if (end == npos) return npos;
      at = end - 1;
    } else if (!in_values && (c | 0x20) == 'v' && starts_without_case(text, at, "VALUES")) {
      const size_t parenthesis = skip_space(text, at + 6);
      in_values = parenthesis < text.size() && text[parenthesis] == '(';
    } else if (in_values && c == ')') {
      const size_t comma = skip_space(text, at + 1);
      if (comma >= text.size() || text[comma] != ',') continue;
      const size_t next = skip_space(text, comma + 1);
      if (next < text.size() && text[next] == '(') return at + 1;
    }
  }
  return npos;
}

bool is_use(std::string_view text) {
  if (!starts_without_case(text, 0, "USE ")) return false;
  const size_t end = text.ends_with('\n') ? text.size() - 1 : text.size();
  return end > 4 && std::none_of(text.begin() + 4, text.begin() + static_cast<ptrdiff_t>(end),
                                 [](char c) { return is(c, kSpace); });
}

// Behind the comment that "--" or '#' begins at `at`; `at` when that is none. The
// toolkit asks for no space behind "--", but for a line without quotes.
size_t end_of_line_comment(std::string_view text, size_t at) {
  const size_t end = std::min(text.find_first_of("\r\n", at), text.size());
  const bool certain =
      text[at] == '#' || at + 2 >= text.size() || is(text[at + 2], kSpace | kControl);
  const bool quotes = text.substr(at, end - at).find_first_of("'\"") != npos;
  return certain || !quotes ? end : at;
}

}  // namespace

// One character of the statement outside literals and comments.
void PtText::add(char c) {
  const bool is_space = c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
  in_number_ = false;
  last_ = previous_ = c;
  if (text_.empty() && is(c, kSpace)) return;
  if (!is_space) {
    text_ += to_lower(c);
    line_ended_ = false;
  } else if (text_.back() != ' ') {
    text_ += ' ';
    line_ended_ = c == '\n';
  } else {
    line_ended_ = false;
  }
}

// A '?'; one of "xb.+-" in front of it goes away ("x'1F'", ".5", but also "tab1").
void PtText::add_value() {
  if (!text_.empty() && (last_ == 'x' || last_ == 'b' || last_ == '.')) text_.pop_back();
  text_ += '?';
  last_ = '?';
  line_ended_ = false;
}

// Fills text_: literals and numbers as '?', no comments, single spaces, lower case.
void PtText::strip(std::string_view text) {
  text_.clear();
  last_ = previous_ = '\0';
  in_number_ = line_ended_ = false;
  const auto at = [&](size_t place) { return place < text.size() ? text[place] : '\0'; };
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '\'' || c == '"') {
      const size_t end = std::min(quoted_end(text, i, options_.backslash_escapes), text.size());
      // 'it''s' counts as two.
      in_number_ = false;
      add_value();
      for (size_t inside = i + 1; inside + 1 < end; ++inside) {
        if (text[inside] == '\\' && options_.backslash_escapes) {
          ++inside;
        } else if (text[inside] == c) {
          add_value();
          ++inside;
        }
      }
      previous_ = c;
      i = end;
    } else if (c == '/' && at(i + 1) == '*' && at(i + 2) != '!') {
      const size_t end = text.find("*/", i + 2);
      i = end == npos ? text.size() : end + 2;
    } else if ((c == '#' || (c == '-' && at(i + 1) == '-')) && end_of_line_comment(text, i) != i) {
      i = end_of_line_comment(text, i);
    } else if (const size_t size = boolean_at(text, i); size > 0 && !is_plain_word(previous_)) {
      in_number_ = false;
      add_value();
      i += size;
      previous_ = c;
    } else if (in_number_ && is_number_part(c)) {
      previous_ = c;
      ++i;
    } else if (is_number_start(c)) {
      const bool in_word = is(previous_, kWord);
      add_value();
      in_number_ = true;
      previous_ = c;
      ++i;
      // In capitals, too, where the server sees a number.
      if (c == '0' && at(i) == 'x' && !in_word) {
        size_t end = i + 1;
        while (is(at(end), kHex)) ++end;
        if (!is(at(end), kWord)) i = end;
      }
    } else {
      add(c);
      ++i;
    }
  }
  if (line_ended_ && !text_.empty()) text_.pop_back();
}

// NULL as '?', then lists of '?' behind IN and VALUES as "(?+)".
void PtText::collapse_lists() {
  const std::string_view from = text_;
  other_.clear();
  for (size_t i = 0; i < from.size();) {
    if (!is_plain_word(from[i])) {
      other_ += from[i++];
      continue;
    }
    const size_t end = skip_word(from, i);
    const std::string_view word = from.substr(i, end - i);
    if (word == "null") {
      other_ += '?';
    } else {
      other_ += word;
    }
    i = end;
  }
  text_.swap(other_);

  const std::string_view text = text_;
  const auto skip = [&](size_t at, std::string_view characters) {
    return std::min(text.find_first_not_of(characters, at), text.size());
  };
  other_.clear();
  for (size_t i = 0; i < text.size();) {
    if (!is_plain_word(text[i])) {
      other_ += text[i++];
      continue;
    }
    size_t end = skip_word(text, i);
    const std::string_view word = text.substr(i, end - i);
    other_ += word;
    if (word == "in" || word == "value" || word == "values") {
      bool any = false;
      for (size_t begin = end;;) {
        begin = skip(begin, " ,\v");
        if (begin >= text.size() || text[begin] != '(') break;
        begin = skip(begin + 1, " ?,\v");
        if (begin >= text.size() || text[begin] != ')') break;
        end = ++begin;
        any = true;
      }
      if (any) other_ += "(?+)";
    }
    i = end;
  }
  text_.swap(other_);
}

// "select X union select X union all select X" as "select X /*repeat union all*/".
void PtText::collapse_unions() {
  constexpr std::string_view kUnion = " union", kAll = " all";
  const std::string_view text = text_;
  if (text.find(kUnion) == npos) return;
  // What comparisons may cost, so that no statement takes more than linear time.
  size_t budget = 64 * text.size();
  other_.clear();
  // Where the text between behind a " union" at `at` begins; npos when none is there.
  const auto behind_union = [&](size_t at) {
    at += kUnion.size();
    if (text.substr(at, kAll.size()) == kAll) at += kAll.size();
    return at < text.size() && text[at] == ' ' ? at + 1 : npos;
  };
  for (size_t i = 0; i < text.size();) {
    const bool is_select =
        text.substr(i, 7) == "select " && (i == 0 || !is_plain_word(text[i - 1]));
    size_t end = i;
    for (size_t join = i + 6; is_select && end == i && budget > 0;) {
      const size_t next = std::min(text.find(kUnion, join + 1), text.size());
      budget -= std::min(budget, next - join);
      join = next;
      if (join == text.size()) break;
      const std::string_view part = text.substr(i, join - i);
      std::string_view how;
      for (size_t at = join; text.substr(at, kUnion.size()) == kUnion;) {
        const size_t again = behind_union(at);
        budget -= std::min(budget, part.size());
        if (again == npos || text.substr(again, part.size()) != part) break;
        how = text.substr(at, again - 1 - at);
        at = end = again + part.size();
      }
      if (end > i) ((other_ += part) += " /*repeat").append(how) += "*/";
    }
    if (end == i) other_ += text[end++];
    i = end;
  }
  text_.swap(other_);
}

// "limit ?, ?" and "limit ? offset ?" as "limit ?"; the first one only.
void PtText::collapse_limit() {
  constexpr std::string_view kLimit = "limit ?";
  size_t at = text_.find(kLimit);
  while (at != npos && at > 0 && is_plain_word(text_[at - 1])) at = text_.find(kLimit, at + 1);
  if (at == npos) return;
  at += kLimit.size();
  for (const std::string_view more : {", ?", ",?", " offset ?"}) {
    if (text_.compare(at, more.size(), more) == 0) {
      text_.erase(at, more.size());
      return;
    }
  }
}

// Behind the first ORDER BY, every " asc".
void PtText::drop_ascending() {
  constexpr std::string_view kOrderBy = "order by ", kAscending = " asc";
  size_t at = text_.find(kOrderBy);
  while (at != npos && at > 0 && is_plain_word(text_[at - 1])) at = text_.find(kOrderBy, at + 1);
  if (at == npos) return;
  at += kOrderBy.size();
  other_.assign(text_, 0, at);
  for (size_t end; (end = text_.find(kAscending, at + 1)) != npos; at = end + kAscending.size()) {
    other_.append(text_, at, end - at);
  }
  other_.append(text_, at);
  text_.swap(other_);
}

std::string_view PtText::of(std::string_view text, bool cut) {
  text = text.substr(skip_space(text, 0));
  if (text.starts_with(kMysqldump)) return "mysqldump";
  if (has_toolkit_mark(text)) return "percona-toolkit";
  if (text.starts_with("administrator command: ")) return text;
  if (const size_t end = end_of_call(text); end != npos) {
    text_.assign(text, 0, end);
    std::transform(text_.begin(), text_.end(), text_.begin(), to_lower);
    return text_;
  }
  if (const size_t end = end_of_first_row(text, options_.backslash_escapes); end != npos) {
    text = text.substr(0, end);
    cut = false;
  }
  if (is_use(text)) return "use ?";
  strip(text);
  collapse_lists();
  if (cut) drop_cut_end(text_);
  collapse_unions();
  collapse_limit();
  drop_ascending();
  if (cut) text_ += " ...";
  return text_;
}

}  // namespace dbtrace::sql
