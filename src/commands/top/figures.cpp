#include "src/commands/top/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace dbtrace::commands::top {
namespace {

constexpr std::array<std::string_view, 8> kHeights = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

// Beyond five digits.
std::string thousands_text(double number) {
  std::string_view unit = "";
  for (const std::string_view larger : {"k", "M", "G", "T"}) {
    if (number < 99'999.5) break;
    number /= 1000;
    unit = larger;
  }
  return fmt::format("{:.0f}{}", number, unit);
}

}  // namespace

std::string rate_text(double per_second) {
  if (per_second == 0) return "0";
  if (per_second < 9.995) return fmt::format("{:.2f}", per_second);
  if (per_second < 99.95) return fmt::format("{:.1f}", per_second);
  return thousands_text(per_second);
}

std::string count_text(uint64_t count) { return thousands_text(static_cast<double>(count)); }

std::string share_text(uint64_t part, uint64_t whole) {
  if (whole == 0 || part == 0) return "0%";
  const double percent = 100 * static_cast<double>(part) / static_cast<double>(whole);
  return percent < 99.95 ? fmt::format("{:.1f}%", percent) : fmt::format("{:.0f}%", percent);
}

std::string sparkline(std::span<const uint64_t> values) {
  std::string text;
  const uint64_t most = values.empty() ? 0 : *std::ranges::max_element(values);
  for (const uint64_t value : values) {
    const double part = most ? static_cast<double>(value) / static_cast<double>(most) : 0;
    // What is not nothing never looks like it.
    const auto height = static_cast<size_t>(part * (kHeights.size() - 1) + 0.5);
    text += kHeights[value ? std::clamp<size_t>(height, 1, kHeights.size() - 1) : 0];
  }
  return text;
}

}  // namespace dbtrace::commands::top
