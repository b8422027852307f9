#include "src/sql/pt_statements.h"

#include <algorithm>

#include "src/sql/characters.h"

namespace dbtrace::sql {
namespace {

constexpr size_t npos = std::string_view::npos;

constexpr std::string_view kMysqldump = "SELECT /*!40001 SQL_NO_CACHE */ * FROM `";

// "/*db.table:1/2*/", which the toolkit's own statements carry.
bool has_toolkit_mark(std::string_view text) {
  for (size_t begin = text.find("/*"); begin != npos; begin = text.find("/*", begin + 2)) {
    const size_t dot = skip_plain_word(text, begin + 2);
    if (dot == begin + 2 || dot >= text.size() || text[dot] != '.') continue;
    const size_t colon = skip_plain_word(text, dot + 1);
    const std::string_view rest = text.substr(colon);
    if (colon > dot + 1 && rest.size() >= 6 && rest[0] == ':' && is(rest[1], kDigit) &&
        rest[2] == '/' && is(rest[3], kDigit) && rest.substr(4, 2) == "*/") {
      return true;
    }
  }
  return false;
}

}  // namespace

std::optional<std::string_view> pt_name_of_program(std::string_view text) {
  if (text.starts_with(kMysqldump)) return "mysqldump";
  if (has_toolkit_mark(text)) return "percona-toolkit";
  return std::nullopt;
}

size_t pt_end_of_call(std::string_view text) {
  if (!starts_with_word(text, 0, "CALL")) return npos;
  const size_t name = skip_space(text, 4);
  if (name == 4) return npos;
  size_t end = name;
  while (end < text.size() && !is(text[end], kSpace)) ++end;
  const size_t parenthesis = text.substr(0, end).rfind('(');
  return parenthesis == npos || parenthesis <= name ? npos : parenthesis;
}

size_t pt_end_of_first_row(std::string_view text, bool backslash_escapes) {
  size_t at = starts_with_word(text, 0, "INSERT")    ? 6
              : starts_with_word(text, 0, "REPLACE") ? 7
                                                     : npos;
  if (at == npos) return npos;
  if (starts_with_word(text, at, " IGNORE")) at += 7;
  const size_t into = skip_space(text, at);
  if (into == at || !starts_with_word(text, into, "INTO")) return npos;
  bool in_values = false;
  for (at = into + 5; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\'' || c == '"') {
      const size_t end = quoted_end(text, at, backslash_escapes);
      if (end == npos) return npos;
      at = end - 1;
    } else if (!in_values && (c | 0x20) == 'v' && starts_with_word(text, at, "VALUES")) {
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

bool pt_is_use(std::string_view text) {
  if (!starts_with_word(text, 0, "USE ")) return false;
  const size_t end = text.ends_with('\n') ? text.size() - 1 : text.size();
  return end > 4 && std::none_of(text.begin() + 4, text.begin() + static_cast<ptrdiff_t>(end),
                                 [](char c) { return is(c, kSpace); });
}

}  // namespace dbtrace::sql
