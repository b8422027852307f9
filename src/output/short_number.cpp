#include "src/output/short_number.h"

#include <fmt/format.h>

namespace dbtrace::output {

std::string short_number(uint64_t value) {
  if (value < 1'000'000) return fmt::format("{}", value);
  double shown = static_cast<double>(value) / 1000;
  char unit = 'k';
  for (const char larger : {'M', 'G', 'T', 'P', 'E'}) {
    if (shown < 999.5) break;
    shown /= 1000;
    unit = larger;
  }
  return fmt::format("{:.{}f}{}", shown, shown < 9.995 ? 2 : shown < 99.95 ? 1 : 0, unit);
}

std::string short_percentage(double percent) {
  if (percent >= 99.5 && percent < 100) return ">99";
  return percent < 10 ? fmt::format("{:.2g}", percent) : fmt::format("{:.0f}", percent);
}

}  // namespace dbtrace::output
