// Lines of a screen, one after the other, none wider than it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "src/output/text_line.h"

namespace dbtrace::commands::top {

inline constexpr std::string_view kBold = "\x1b[1m";
inline constexpr std::string_view kReverse = "\x1b[7m";

// Bytes of `visible` that fit into so many columns. It has no control characters.
[[nodiscard]] size_t fitting(std::string_view visible, size_t columns);

// Values may hold any bytes, except where it says otherwise.
class Paper {
 public:
  // `width`: 0 = nothing is cut.
  Paper(size_t width, bool color) : width_(width), color_(color), line_(width, color) {
    line_.start();
  }

  Paper& cell(const output::Column& column, std::string_view value,
              std::string_view color = output::kNoColor);
  Paper& piece(std::string_view value, std::string_view color = output::kNoColor);
  // For what knows how to draw itself.
  [[nodiscard]] output::TextLine& line() { return line_; }
  [[nodiscard]] std::string& text() { return text_; }
  // Ends the line.
  void end();
  // A line in other video, whatever colours the cells of it ask for.
  void begin_highlighted();

  // A line of one piece.
  void say(std::string_view value, std::string_view color = output::kNoColor);
  // Over as many lines as it takes, `most` at the utmost.
  void say_wrapped(std::string_view value, size_t most);
  // Lines that dbtrace has made itself: they keep their spaces, and are cut.
  void copy(std::string_view visible_lines);
  // A heading, with an empty line before it.
  void title(std::string_view value);

  [[nodiscard]] size_t width() const { return width_; }
  [[nodiscard]] bool color() const { return color_; }
  [[nodiscard]] std::vector<std::string>& lines() { return lines_; }

 private:
  size_t width_;
  bool color_;
  bool highlighted_ = false;
  output::TextLine line_;
  std::string text_;
  std::vector<std::string> lines_;
};

}  // namespace dbtrace::commands::top
