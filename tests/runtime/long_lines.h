// What dbtrace has broken into lines of 80 columns, in one again.
#pragma once

#include <regex>
#include <string>

namespace dbtrace::testing {

// Lines go on where nothing new begins: behind the indent of a second column, or in the title or
// the verdict of `dbtrace doctor`, whose lines begin with no state.
[[nodiscard]] inline std::string in_long_lines(const std::string& text) {
  static const std::regex continued("\\n {28}(?!lost:|do:)|\\n(?=[/(-])");
  return std::regex_replace(text, continued, " ");
}

}  // namespace dbtrace::testing
