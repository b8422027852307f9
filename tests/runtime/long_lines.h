// What dbtrace has broken into lines of 80 columns, in one again.
#pragma once

#include <regex>
#include <string>

namespace dbtrace::testing {

// Lines of `dbtrace doctor` go on below their second column, where nothing new begins.
[[nodiscard]] inline std::string in_long_lines(const std::string& text) {
  static const std::regex continued("\\n {28}(?!lost:|do:)");
  return std::regex_replace(text, continued, " ");
}

}  // namespace dbtrace::testing
