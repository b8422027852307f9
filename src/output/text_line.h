// A line for a person, made of columns and of pieces without a column, that fits a
// terminal's width when there is one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "src/output/escape.h"

namespace dbtrace::output {

inline constexpr std::string_view kReset = "\x1b[0m";
inline constexpr std::string_view kBold = "\x1b[1m";
inline constexpr std::string_view kDim = "\x1b[2m";
inline constexpr std::string_view kRed = "\x1b[31m";
inline constexpr std::string_view kYellow = "\x1b[33m";
inline constexpr std::string_view kNoColor = {};

enum class Align { Left, Right };

struct Column {
  std::string_view title;
  size_t width;
  Align align;
  bool may_be_cut;  // on a terminal; part of a number would mislead
};

// Appends to `out`, line after line. Values may hold any bytes: they are shown as
// append_visible() does.
class TextLine {
 public:
  // `width`: 0 = nothing is cut.
  TextLine(size_t width, bool color) : width_(width), color_(color) {}

  void start();
  // Columns that are left; kUnlimited when nothing is cut.
  [[nodiscard]] size_t room() const { return room_; }

  void cell(const Column& column, std::string_view value, std::string_view color, std::string& out);
  // A space, unless the line is empty, and the value; nothing for an empty value.
  void piece(std::string_view value, std::string_view color, std::string& out);

  // What cells and pieces are made of.
  void separate(std::string& out);
  void append(std::string_view value, std::string_view color, std::string& out);
  void pad(size_t columns, std::string& out);
  // Our own lines and spaces, copied as they are; nothing where they do not fit.
  void draw(std::string_view drawing, size_t columns, std::string_view color, std::string& out);

 private:
  size_t append_up_to(size_t columns, std::string_view value, std::string_view color,
                      std::string& out);

  size_t width_;
  bool color_;
  size_t room_ = 0;
  bool is_empty_ = true;
};

}  // namespace dbtrace::output
