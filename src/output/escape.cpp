#include "src/output/escape.h"

#include "src/output/character_class.h"
#include "src/output/utf8.h"

namespace dbtrace::output {
namespace {

constexpr char kHexDigits[] = "0123456789abcdef";

void append_hex(std::string& out, char32_t value, int digits) {
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) {
    out += kHexDigits[(value >> shift) & 0xf];
  }
}

bool is_white_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_plain(char c) { return c > ' ' && c < 0x7f; }

// Appends pieces to a line of limited width, and takes back what no longer fits
// together with an ellipsis.
class Line {
 public:
  Line(std::string& out, size_t max_columns)
      : out_(out), max_columns_(max_columns), keep_(out.size()) {}

  [[nodiscard]] size_t columns() const { return columns_; }

  // What was appended to `out` since the last call takes `columns`. False: it
  // did not fit, and the line is finished.
  bool added(size_t columns) {
    columns_ += columns;
    if (columns_ > max_columns_) {
      out_.resize(keep_);
      columns_ = keep_columns_;
      if (max_columns_ > 0) {
        out_ += kEllipsis;
        ++columns_;
      }
      return false;
    }
    // From here an ellipsis would still fit.
    if (columns_ < max_columns_) {
      keep_ = out_.size();
      keep_columns_ = columns_;
    }
    return true;
  }

  // A run of one-column characters.
  bool add_plain(std::string_view run) {
    const size_t room = max_columns_ - columns_;
    if (run.size() >= room) {
      // The ellipsis goes where the last fitting character stood.
      const size_t before_ellipsis = room == 0 ? 0 : room - 1;
      out_.append(run.substr(0, before_ellipsis));
      added(before_ellipsis);
      run.remove_prefix(before_ellipsis);
      for (char c : run) {
        out_ += c;
        if (!added(1)) return false;
      }
      return true;
    }
    out_.append(run);
    return added(run.size());
  }

 private:
  std::string& out_;
  size_t max_columns_;
  size_t columns_ = 0;
  size_t keep_;
  size_t keep_columns_ = 0;
};

}  // namespace

void append_byte_escape(std::string& out, uint8_t byte) {
  out += "\\x";
  append_hex(out, byte, 2);
}

void append_character_escape(std::string& out, char32_t code) {
  if (code < 0x80) {
    append_byte_escape(out, static_cast<uint8_t>(code));
  } else if (code < 0x10000) {
    out += "\\u";
    append_hex(out, code, 4);
  } else {
    out += "\\U";
    append_hex(out, code, 8);
  }
}

size_t append_visible(std::string& out, std::string_view text, size_t max_columns) {
  Line line(out, max_columns);
  size_t at = 0;
  while (at < text.size()) {
    if (is_plain(text[at])) {
      // Single spaces between words belong to the run: most text is one run.
      size_t end = at + 1;
      while (end < text.size() &&
             (is_plain(text[end]) || (text[end] == ' ' && text[end - 1] != ' '))) {
        ++end;
        if (end - at > max_columns) break;
      }
      if (text[end - 1] == ' ') --end;
      if (!line.add_plain(text.substr(at, end - at))) break;
      at = end;
    } else if (is_white_space(text[at])) {
      while (at < text.size() && is_white_space(text[at])) ++at;
      if (line.columns() == 0 || at == text.size()) continue;
      if (!line.add_plain(" ")) break;
    } else {
      const size_t before = out.size();
      const Character character = decode_character(text, at);
      size_t columns = 0;
      if (character.code == kInvalidCharacter) {
        append_byte_escape(out, static_cast<uint8_t>(text[at]));
        columns = out.size() - before;
      } else if (is_unsafe(character.code)) {
        append_character_escape(out, character.code);
        columns = out.size() - before;
      } else {
        out.append(text.substr(at, character.size));
        columns = display_width(character.code);
      }
      if (!line.added(columns)) break;
      at += character.size;
    }
  }
  return line.columns();
}

}  // namespace dbtrace::output
