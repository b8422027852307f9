#include "src/sql/pmm_text.h"

#include <algorithm>

#include "src/sql/characters.h"
#include "src/sql/cut_end.h"

namespace dbtrace::sql {
namespace {

constexpr size_t npos = std::string_view::npos;

bool begins_list(std::string_view word) {
  return word == "in" || word == "value" || word == "values";
}

// What a number may go on with; "1-2" is one, too.
bool is_number_part(char c) { return is(c, kHex) || c == '.' || c == 'x' || c == '-'; }

}  // namespace

// Behind the comment at `at`; `at` when none is there. Version comments are text.
size_t PmmText::comment_end(size_t place) const {
  const char c = at(place), second = at(place + 1), third = at(place + 2);
  if (c == '/' && second == '*' && third != '!') {
    const size_t end = text_.find("*/", place + 2);
    return end == npos ? text_.size() : end + 2;
  }
  if (c == '#' || (c == '-' && second == '-' && is(third, kSpace | kControl))) {
    const size_t end = text_.find('\n', place);
    return end == npos ? text_.size() : end + 1;
  }
  return place;
}

// The chunk ends at a space.
void PmmText::end_chunk() {
  const std::string_view word = chunk();
  if (word.empty()) return;
  const bool comma = word.back() == ',';
  const std::string_view bare = word.substr(0, word.size() - (comma ? 1 : 0));
  if (bare == "null" && (comma || (previous_ != "is" && previous_ != "not"))) {
    out_.replace(chunk_, 4, "?");
    return;
  }
  if (in_order_by_ && bare == "asc" && chunk_ > 0) {
    out_.erase(chunk_ - 1, 4);
    return;
  }
  if (previous_ == "order" && word == "by") in_order_by_ = true;
  if (previous_ == "key" && word == "update") in_update_of_duplicates_ = true;
  previous_ = word;
}

size_t PmmText::space(size_t begin) {
  end_chunk();
  const size_t end = skip_space(text_, begin);
  if (!out_.empty() && out_.back() != ' ') out_ += ' ';
  chunk_ = out_.size();
  return end;
}

void PmmText::add_value() {
  out_ += '?';
  chunk_ = out_.size();
}

size_t PmmText::string(size_t begin) {
  const size_t end = std::min(quoted_end(text_, begin, options_.backslash_escapes), text_.size());
  // The x of x'1F', but not an X.
  const char before = begin > 0 ? text_[begin - 1] : ' ';
  const bool radix =
      (before == 'x' || before == 'b') && (begin == 1 || !is(text_[begin - 2], kWord));
  if (radix) out_.pop_back();
  add_value();
  for (size_t inside = begin + 1; inside + 1 < end; ++inside) {
    if (text_[inside] == '\\' && options_.backslash_escapes) {
      ++inside;
    } else if (text_[inside] == text_[begin]) {
      add_value();  // 'it''s' counts as two
      ++inside;
    }
  }
  return end;
}

size_t PmmText::quoted_name(size_t begin) {
  const size_t end = std::min(quoted_end(text_, begin, false), text_.size());
  for (size_t i = begin; i < end; ++i) out_ += to_lower(text_[i]);
  return end;
}

// Whether the digit at `place`, which follows no other character of a word, begins
// a number: not behind a '.' ("t.1a") nor in "/*!40101".
bool PmmText::is_number(size_t place) const {
  if (place == 0) return true;
  const char before = text_[place - 1];
  return before != '.' && before != '`' && !out_.ends_with("/*!");
}

size_t PmmText::word(size_t begin) {
  size_t end = begin;
  for (; is(at(end), kWord); ++end) out_ += to_lower(text_[end]);
  return end;
}

size_t PmmText::number(size_t begin) {
  size_t end = begin, digits_end = begin;
  while (is_number_part(at(end))) ++end;
  while (is(at(digits_end), kDigit)) ++digits_end;
  if (is(at(end), kWord)) end = digits_end;
  if (is(at(end), kWord)) return word(begin);
  add_value();
  return end;
}

// ".5", and the '.' of "t.1a".
size_t PmmText::dot(size_t begin) {
  const char before = begin == 0 ? ' ' : text_[begin - 1];
  if (is(at(begin + 1), kDigit) && !is(before, kWord) && before != '`') {
    const bool behind_operator = before == '=' || before == '<' || before == '>';
    if (!behind_operator) out_ += '.';
    return number(begin + 1);
  }
  out_ += '.';
  return begin + 1;
}

// Behind the ')' that belongs to the '(' at `begin`; npos when there is none.
size_t PmmText::list_end(size_t begin) const {
  size_t depth = 0;
  for (size_t i = begin; i < text_.size(); ++i) {
    const char c = text_[i];
    if (c == '\'' || c == '"') {
      const size_t end = quoted_end(text_, i, options_.backslash_escapes);
      if (end == npos) return npos;
      i = end - 1;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')' && --depth == 0) {
      return i + 1;
    }
  }
  return npos;
}

size_t PmmText::parenthesis(size_t begin) {
  const bool touches = !chunk().empty();
  const bool follows = !touches && begins_list(previous_) && out_.ends_with(previous_ + ' ');
  const bool list = follows || begins_list(chunk());
  if (!list || in_update_of_duplicates_) {
    out_ += '(';
    ++depth_;
    return begin + 1;
  }
  if (follows) out_.pop_back();
  in_order_by_ = false;
  chunk_ = out_.size();
  const size_t content = skip_space(text_, begin + 1);
  if (equals_word(text_.substr(content, 6), "SELECT")) {
    out_ += '(';
    chunk_ = out_.size();
    subqueries_.push_back(++depth_);
    return content;
  }
  size_t end = list_end(begin);
  out_ += end == begin + 2 ? "()" : end == npos ? "(?+" : "(?+)";
  chunk_ = out_.size();
  // More rows.
  while (end != npos) {
    const size_t comma = skip_space(text_, end);
    const size_t next = skip_space(text_, comma + 1);
    if (at(comma) != ',' || at(next) != '(') return end;
    end = list_end(next);
  }
  return text_.size();
}

// Subqueries behind IN lose the space at their end.
void PmmText::close_parenthesis() {
  if (!subqueries_.empty() && subqueries_.back() == depth_) {
    subqueries_.pop_back();
    if (out_.ends_with(' ')) out_.pop_back();
    chunk_ = std::min(chunk_, out_.size());
  }
  if (depth_ > 0) --depth_;
  out_ += ')';
}

std::string_view PmmText::of(std::string_view text, bool cut) {
  text_ = text = text.substr(skip_space(text, 0));
  out_.clear();
  previous_.clear();
  subqueries_.clear();
  chunk_ = depth_ = 0;
  in_order_by_ = in_update_of_duplicates_ = false;
  if (text.starts_with("administrator command:")) return text;
  if (equals_word(text.substr(0, 3), "USE") && is(at(3), kSpace)) return "use ?";
  if (equals_word(text.substr(0, 4), "CALL") && is(at(4), kSpace)) {
    const size_t name = skip_space(text, 4);
    const size_t end = text.find_first_of("( \t\r\n", name);
    if (at(end) == '(') return (out_ = "call ").append(text, name, end - name);
  }

  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (const size_t end = comment_end(i); end != i) {
      i = end;
    } else if (is(c, kSpace)) {
      i = space(i);
    } else if (c == '\'' || c == '"') {
      i = string(i);
    } else if (c == '`') {
      i = quoted_name(i);
    } else if (is(c, kDigit) && is_number(i)) {
      i = number(i);
    } else if (is(c, kWord)) {
      i = word(i);
    } else if ((c == '+' || c == '-') && is(at(i + 1), kDigit)) {
      i = number(i + 1);
    } else if (c == '.') {
      i = dot(i);
    } else if (c == '(') {
      i = parenthesis(i);
    } else if (c == ')') {
      close_parenthesis();
      ++i;
    } else {
      if (c != '\0') out_ += c;
      ++i;
    }
  }
  end_chunk();
  if (cut) {
    drop_cut_end(out_);
    return out_ += " ...";
  }
  while (out_.ends_with(' ')) out_.pop_back();
  return out_;
}

}  // namespace dbtrace::sql
