#include "src/commands/top/paper.h"

#include <algorithm>
#include <utility>

#include "src/output/character_class.h"
#include "src/output/utf8.h"

namespace dbtrace::commands::top {

size_t fitting(std::string_view visible, size_t columns) {
  size_t at = 0;
  while (at < visible.size()) {
    const output::Character character = output::decode_character(visible, at);
    const size_t wide = output::display_width(character.code);
    if (wide > columns) break;
    columns -= wide;
    at += character.size;
  }
  return at;
}

Paper& Paper::cell(const output::Column& column, std::string_view value, std::string_view color) {
  line_.cell(column, value, color, text_);
  return *this;
}

Paper& Paper::piece(std::string_view value, std::string_view color) {
  line_.piece(value, color, text_);
  return *this;
}

void Paper::end() {
  const bool reversed = std::exchange(highlighted_, false) && color_;
  if (reversed) {
    if (width_) line_.pad(line_.room(), text_);
    text_.insert(0, kReverse).append(output::kReset);
  } else {
    text_.erase(text_.find_last_not_of(' ') + 1);
  }
  lines_.push_back(std::exchange(text_, {}));
  line_ = output::TextLine(width_, color_);
  line_.start();
}

void Paper::begin_highlighted() {
  highlighted_ = true;
  line_ = output::TextLine(width_, false);
  line_.start();
}

void Paper::say(std::string_view value, std::string_view color) {
  piece(value, color);
  end();
}

void Paper::say_wrapped(std::string_view value, size_t most) {
  if (width_ == 0) return say(value);
  std::string visible;
  output::append_visible(visible, value, width_ * most);
  std::string_view rest = visible;
  for (; most > 1 && fitting(rest, width_) < rest.size(); --most) {
    const size_t length = std::max<size_t>(fitting(rest, width_), 1);
    lines_.emplace_back(rest.substr(0, length));
    rest.remove_prefix(length);
  }
  lines_.emplace_back(rest.substr(0, fitting(rest, width_)));
}

void Paper::copy(std::string_view visible_lines) {
  while (!visible_lines.empty()) {
    const size_t end = std::min(visible_lines.find('\n'), visible_lines.size());
    const std::string_view line = visible_lines.substr(0, end);
    lines_.emplace_back(width_ ? line.substr(0, fitting(line, width_)) : line);
    visible_lines.remove_prefix(std::min(end + 1, visible_lines.size()));
  }
}

void Paper::title(std::string_view value) {
  lines_.emplace_back();
  say(value, kBold);
}

}  // namespace dbtrace::commands::top
