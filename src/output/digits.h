// Numbers appended to a buffer, faster than the general formatters.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>

namespace dbtrace::output {

inline void append_number(std::string& out, uint64_t value) {
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

// `value` in `width` digits, with leading zeros; the low digits when it has more.
inline void append_zero_padded(std::string& out, uint64_t value, unsigned width) {
  const size_t begin = out.size();
  out.append(width, '0');
  for (size_t at = begin + width; at > begin && value > 0; value /= 10) {
    out[--at] = static_cast<char>('0' + value % 10);
  }
}

}  // namespace dbtrace::output
