#include "src/sql/pt_text.h"

#include <algorithm>

#include "src/sql/characters.h"
#include "src/sql/cut_end.h"
#include "src/sql/pt_statements.h"

namespace dbtrace::sql {
namespace {

constexpr size_t npos = std::string_view::npos;

bool is_number_start(char c) { return is(c, kDigit) || c == '+' || c == '-'; }

bool is_number_part(char c) {
  return is_number_start(c) || (c >= 'a' && c <= 'f') || c == '.' || c == 'x';
}

// The size of TRUE or FALSE at `at`; 0 when none of them is there.
size_t boolean_at(std::string_view text, size_t at) {
  if ((text[at] | 0x20) != 't' && (text[at] | 0x20) != 'f') return 0;
  for (const std::string_view word : {"TRUE", "FALSE"}) {
    const size_t end = at + word.size();
    if (starts_with_word(text, at, word) && (end == text.size() || !is_plain_word(text[end]))) {
      return word.size();
    }
  }
  return 0;
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
  // The toolkit asks for no space behind "--", but for a line without quotes. What
  // ends such a comment or forbids it is looked for once.
  size_t mark = 0;
  const auto is_line_comment = [&](size_t begin) {
    if (text[begin] == '#' || begin + 2 >= text.size()) return true;
    if (is(text[begin + 2], kSpace | kControl)) return true;
    if (begin >= mark) mark = std::min(text.find_first_of("'\"\r\n", begin), text.size());
    return at(mark) != '\'' && at(mark) != '"';
  };
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
    } else if ((c == '#' || (c == '-' && at(i + 1) == '-')) && is_line_comment(i)) {
      i = std::min(text.find_first_of("\r\n", i), text.size());
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
    const size_t end = skip_plain_word(from, i);
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
    size_t end = skip_plain_word(text, i);
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
  if (const auto name = pt_name_of_program(text)) return *name;
  if (text.starts_with("administrator command: ")) return text;
  if (const size_t end = pt_end_of_call(text); end != npos) {
    text_.assign(text, 0, end);
    std::transform(text_.begin(), text_.end(), text_.begin(), to_lower);
    return text_;
  }
  if (const size_t end = pt_end_of_first_row(text, options_.backslash_escapes); end != npos) {
    text = text.substr(0, end);
    cut = false;
  }
  if (pt_is_use(text)) return "use ?";
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
