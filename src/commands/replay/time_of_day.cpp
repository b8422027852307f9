#include "src/commands/replay/time_of_day.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <optional>

#include "src/commands/units.h"
#include "src/output/clock_text.h"

namespace dbtrace::commands {
namespace {

constexpr uint64_t kSecond_ns = output::kNanosecondsPerSecond;

constexpr const char* kOfADay[] = {"%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M"};
constexpr const char* kOfThisDay[] = {"%H:%M:%S", "%H:%M"};

bool parse(const std::string& text, const char* format, std::tm& time) {
  const char* const end = ::strptime(text.c_str(), format, &time);
  return end && *end == '\0';
}

// Seconds since the Unix epoch.
std::optional<std::time_t> parse(const std::string& text, std::time_t begin) {
  for (const char* format : kOfADay) {
    std::tm time{};
    time.tm_isdst = -1;
    if (parse(text, format, time)) return std::mktime(&time);
  }
  for (const char* format : kOfThisDay) {
    std::tm time{};
    ::localtime_r(&begin, &time);
    time.tm_sec = 0;
    time.tm_isdst = -1;
    if (!parse(text, format, time)) continue;
    std::tm tomorrow = time;
    ++tomorrow.tm_mday;
    const std::time_t today = std::mktime(&time);
    return today < begin ? std::mktime(&tomorrow) : today;
  }
  return std::nullopt;
}

}  // namespace

Result<uint64_t> time_within(const recording::Reader& reader, const std::string& text) {
  const uint64_t begin_ns = reader.begin_ns(), end_ns = reader.end_ns();
  const auto begin = static_cast<std::time_t>(begin_ns / kSecond_ns);
  const auto time = parse(text, begin);
  const auto after = parse_duration(text);
  if (!time && !after)
    return fail(fmt::format("'{}' is no time", text),
                "say 22:45:59, '2026-11-30 22:45:59', or 5m after the recording's begin");
  // A time of day names its whole second.
  const bool is_within = time
                             ? *time >= begin && static_cast<uint64_t>(*time) <= end_ns / kSecond_ns
                             : *after <= end_ns - std::min(begin_ns, end_ns);
  if (is_within)
    return time ? std::max(static_cast<uint64_t>(*time) * kSecond_ns, begin_ns) : begin_ns + *after;
  output::ClockText clock(output::Zone::Local, "%Y-%m-%d %H:%M:%S");
  const auto shown = [&](uint64_t ns) { return std::string(clock.at(ns / kSecond_ns)); };
  return fail(fmt::format("{} is not within the recording, which is from {} to {}", text,
                          shown(begin_ns), shown(end_ns)));
}

}  // namespace dbtrace::commands
