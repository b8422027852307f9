#include "src/output/histogram_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace dbtrace::output {
namespace {

using model::Histogram;

constexpr size_t kBar = 40;
constexpr size_t kLeastBar = 10;
constexpr size_t kAroundBar = 34;  // columns: the range, the count, and the ends of the bar
constexpr size_t kMarks = 12;      // and of the second count

// A range begins and ends where buckets do.
uint64_t count_within(const Histogram& histogram, const Histogram::Range& range) {
  const std::vector<uint64_t>& counts = histogram.counts();
  uint64_t count = 0;
  for (size_t bucket = Histogram::bucket_of(range.least);
       bucket < counts.size() && Histogram::greatest(bucket) <= range.greatest; ++bucket)
    count += counts[bucket];
  return count;
}

void append_rows(const Histogram& histogram, const Histogram* marked, const HistogramShape& shape,
                 std::string& out) {
  const auto ranges = histogram.ranges(shape.ranges);
  const size_t around = kAroundBar + (marked ? kMarks : 0);
  const size_t room = shape.width > around ? shape.width - around : 0;
  const size_t length = shape.width == 0 ? kBar : std::clamp(room, kLeastBar, kBar);
  const uint64_t most =
      ranges.empty() ? 0 : std::ranges::max(ranges, {}, &Histogram::Range::count).count;
  const auto bar_of = [most, length](uint64_t count) {
    return static_cast<size_t>(static_cast<double>(count) * static_cast<double>(length) /
                               static_cast<double>(most));
  };
  size_t empty = 0;
  for (const Histogram::Range& range : ranges) {
    empty = range.count == 0 ? empty + 1 : 0;
    if (empty > 1) {
      if (empty == 2) out += "                    …\n";
      continue;
    }
    out += fmt::format("  {} – {} {:>11}", padded(rounded_duration(range.least), 7),
                       padded(rounded_duration(range.greatest), 7), range.count);
    const uint64_t marks =
        marked ? std::min(count_within(*marked, range), range.count) : range.count;
    if (marked) out += fmt::format(" {:>11}", marks);
    std::string bar(bar_of(marks), kMarked);
    bar.resize(bar_of(range.count), kUnmarked);
    out += fmt::format(" |{:<{}}|\n", bar, length);
  }
}

}  // namespace

std::string rounded_duration(uint64_t nanoseconds) {
  if (nanoseconds < 1'000) return fmt::format("{}ns", nanoseconds);
  double value = static_cast<double>(nanoseconds);
  std::string_view unit;
  for (const std::string_view larger : {"µs", "ms", "s"}) {
    if (!unit.empty() && value < 999.5) break;
    value /= 1000;
    unit = larger;
  }
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}{}", value, decimals, unit);
}

std::string padded(const std::string& text, size_t columns) {
  const auto is_start = [](char c) { return (static_cast<uint8_t>(c) & 0xc0) != 0x80; };
  const auto width = static_cast<size_t>(std::ranges::count_if(text, is_start));
  return std::string(columns > width ? columns - width : 0, ' ') + text;
}

void append_percentiles(const model::Histogram& histogram, uint64_t total_ns, std::string& out,
                        std::optional<uint64_t> max_ns) {
  if (histogram.count() == 0) return;
  const uint64_t greatest = max_ns.value_or(histogram.at_most());
  const auto at = [&](double fraction) {
    return rounded_duration(histogram.quantile(fraction, greatest));
  };
  out += fmt::format("  mean {}  p50 {}  p90 {}  p99 {}  p99.9 {}  max {}\n",
                     rounded_duration(total_ns / histogram.count()), at(0.5), at(0.9), at(0.99),
                     at(0.999), rounded_duration(greatest));
}

void append_histogram(const model::Histogram& histogram, std::string& out,
                      const HistogramShape& shape) {
  append_rows(histogram, nullptr, shape, out);
}

void append_histogram(const model::Histogram& histogram, const model::Histogram& marked,
                      std::string& out, const HistogramShape& shape) {
  append_rows(histogram, &marked, shape, out);
}

}  // namespace dbtrace::output
