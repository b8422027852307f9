#include "src/output/slowlog_escape.h"

#include <algorithm>

#include "src/output/character_class.h"
#include "src/output/escape.h"
#include "src/output/sql_words.h"
#include "src/output/utf8.h"

namespace dbtrace::output {
namespace {

// Appends the character at the front of `text` as escape.h shows it, or as an
// escape too when it is one of `special`. Returns its bytes.
size_t append_safe(std::string& out, std::string_view text, std::string_view special) {
  const Character character = decode_character(text, 0);
  if (character.code == kInvalidCharacter || special.find(text[0]) != std::string_view::npos) {
    append_byte_escape(out, static_cast<uint8_t>(text[0]));
  } else if (is_unsafe(character.code)) {
    append_character_escape(out, character.code);
  } else {
    out.append(text, 0, character.size);
  }
  return character.size;
}

void append_all_safe(std::string& out, std::string_view text, std::string_view special) {
  while (!text.empty()) text.remove_prefix(append_safe(out, text, special));
}

bool is_plain(char c) { return c >= ' ' && c < 0x7f; }

// What pt-query-digest, mysqldumpslow or go-mysql take for a line of their own
// when it begins a line.
bool could_be_taken_for_a_header(std::string_view line) {
  if (line.empty()) return false;
  for (std::string_view word : {"USE", "SET", "TIME", "TCP", "ADMINISTRATOR"}) {
    if (equals_word(line.substr(0, word.size()), word)) return true;
  }
  return line[0] == '#' || line.find("Version") != std::string_view::npos;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (is_sql_space(text.back()) || text.back() == ';')) text.remove_suffix(1);
  while (!text.empty() && is_sql_space(text.front())) text.remove_prefix(1);
  return text;
}

void append_line(std::string& out, std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (could_be_taken_for_a_header(line)) out += ' ';
  while (!line.empty()) {
    const auto end =
        std::find_if(line.begin(), line.end(), [](char c) { return !is_plain(c) && c != '\t'; });
    out.append(line.begin(), end);
    line.remove_prefix(static_cast<size_t>(end - line.begin()));
    if (!line.empty()) line.remove_prefix(append_safe(out, line, {}));
  }
}

}  // namespace

void append_token(std::string& out, std::string_view name) { append_all_safe(out, name, " []"); }

void append_attribute(std::string& out, std::string_view value) {
  append_all_safe(out, value, " []:");
}

void append_identifier(std::string& out, std::string_view name) {
  const bool plain = std::all_of(name.begin(), name.end(), is_word_character);
  if (!plain) out += '`';
  append_all_safe(out, name, "`;");
  if (!plain) out += '`';
}

bool append_statement(std::string& out, std::string_view text) {
  text = trimmed(text);
  if (text.empty()) return false;
  for (;;) {
    const size_t line_end = std::min(text.find('\n'), text.size());
    append_line(out, text.substr(0, line_end));
    if (line_end == text.size()) return true;
    out += out.back() == ';' ? " \n" : "\n";
    text.remove_prefix(line_end + 1);
  }
}

}  // namespace dbtrace::output
