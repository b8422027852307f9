#include "src/commands/units.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>

namespace dbtrace::commands {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr Unit kDurations[] = {{"ns", 1},  {"us", 1e3}, {"µs", 1e3},   {"ms", 1e6},
                               {"s", 1e9}, {"m", 60e9}, {"min", 60e9}, {"h", 3600e9}};
constexpr Unit kSizes[] = {
    {"", 1},           {"k", 1024.0},       {"K", 1024.0},       {"M", 1048576.0},
    {"m", 1048576.0},  {"G", 1073741824.0}, {"g", 1073741824.0}, {"kB", 1024.0},
    {"MB", 1048576.0}, {"GB", 1073741824.0}};

std::optional<uint64_t> parse(std::string_view text, std::span<const Unit> units) {
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(number) || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  for (const Unit& unit : units) {
    if (text != unit.name) continue;
    const double value = number * unit.factor;
    if (value >= 9.2e18) return std::nullopt;
    return static_cast<uint64_t>(std::llround(value));
  }
  return std::nullopt;
}

}  // namespace

Result<uint64_t> parse_duration(const std::string& text) {
  if (const auto value = parse(text, kDurations)) return *value;
  return fail(fmt::format("'{}' is not a duration", text), "write it as 10ms, 1.5s, 2m or 1h");
}

Result<uint64_t> parse_size(const std::string& text) {
  if (const auto value = parse(text, kSizes)) return *value;
  return fail(fmt::format("'{}' is not a size", text), "write it as 4096, 64k or 8M");
}

}  // namespace dbtrace::commands
