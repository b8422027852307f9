#include "src/output/byte_size.h"

#include <string_view>

#include "src/output/digits.h"

namespace dbtrace::output {

void append_byte_size(std::string& out, uint64_t bytes) {
  constexpr std::string_view kUnits = "kMGTPE";
  constexpr unsigned kShift = 10;  // 1024
  if (bytes < 1U << kShift) {
    append_number(out, bytes);
    return;
  }
  size_t unit = 0;
  while (unit + 1 < kUnits.size() && bytes >> (kShift * (unit + 2)) != 0) ++unit;
  const uint64_t tenths = (bytes >> (kShift * unit)) * 10 >> kShift;
  append_number(out, tenths / 10);
  if (tenths < 100) {
    out += '.';
    append_number(out, tenths % 10);
  }
  out += kUnits[unit];
}

}  // namespace dbtrace::output
