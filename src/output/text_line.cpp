#include "src/output/text_line.h"

#include <algorithm>

namespace dbtrace::output {

void TextLine::start() {
  room_ = width_ == 0 ? kUnlimited : width_;
  is_empty_ = true;
}

void TextLine::separate(std::string& out) {
  if (!is_empty_ && room_ > 0) {
    out += ' ';
    --room_;
  }
  is_empty_ = false;
}

size_t TextLine::append_up_to(size_t columns, std::string_view value, std::string_view color,
                              std::string& out) {
  if (!color_) color = kNoColor;
  out += color;
  const size_t used = append_visible(out, value, columns);
  if (!color.empty()) out += kReset;
  room_ -= used;
  return used;
}

void TextLine::append(std::string_view value, std::string_view color, std::string& out) {
  if (room_ > 0) append_up_to(room_, value, color, out);
}

void TextLine::pad(size_t columns, std::string& out) {
  const size_t padding = std::min(room_, columns);
  out.append(padding, ' ');
  room_ -= padding;
}

void TextLine::draw(std::string_view drawing, size_t columns, std::string_view color,
                    std::string& out) {
  const bool fits = columns <= room_;
  room_ -= fits ? columns : room_;
  if (!fits || columns == 0) return;
  if (color_) out += color;
  out += drawing;
  if (color_ && !color.empty()) out += kReset;
}

void TextLine::cell(const Column& column, std::string_view value, std::string_view color,
                    std::string& out) {
  separate(out);
  if (room_ == 0) return;
  const size_t begin = out.size();
  const bool cut = column.may_be_cut && width_ != 0;
  const size_t used = append_up_to(cut ? std::min(column.width, room_) : room_, value, color, out);
  const size_t padding = std::min(room_, column.width - std::min(column.width, used));
  out.insert(column.align == Align::Left ? out.size() : begin, padding, ' ');
  room_ -= padding;
}

void TextLine::piece(std::string_view value, std::string_view color, std::string& out) {
  if (value.empty()) return;
  separate(out);
  append(value, color, out);
}

}  // namespace dbtrace::output
