#include "src/report/timeline.h"

#include <algorithm>

namespace dbtrace::report {
namespace {

constexpr uint64_t kSecond_ns = 1'000'000'000;
constexpr uint64_t kMinute_ns = 60 * kSecond_ns, kHour_ns = 60 * kMinute_ns;
constexpr uint64_t kWidths_ns[] = {
    kSecond_ns / 10, kSecond_ns / 5,  kSecond_ns / 2,  kSecond_ns,      2 * kSecond_ns,
    5 * kSecond_ns,  10 * kSecond_ns, 15 * kSecond_ns, 30 * kSecond_ns, kMinute_ns,
    2 * kMinute_ns,  5 * kMinute_ns,  10 * kMinute_ns, 15 * kMinute_ns, 30 * kMinute_ns,
    kHour_ns,        2 * kHour_ns,    6 * kHour_ns,    12 * kHour_ns,   24 * kHour_ns,
};

}  // namespace

Timeline Timeline::of(uint64_t begin_ns, uint64_t end_ns) {
  const uint64_t length_ns = end_ns > begin_ns ? end_ns - begin_ns : 1;
  const auto count = [length_ns](uint64_t width_ns) { return (length_ns - 1) / width_ns + 1; };
  for (const uint64_t width_ns : kWidths_ns)
    if (count(width_ns) <= kMost) return {begin_ns, width_ns, count(width_ns)};
  const uint64_t width_ns = (length_ns - 1) / kMost + 1;
  return {begin_ns, width_ns, count(width_ns)};
}

uint64_t Timeline::end_of(size_t bucket) const {
  return bucket + 1 >= buckets ? UINT64_MAX : begin_ns + (bucket + 1) * width_ns;
}

}  // namespace dbtrace::report
