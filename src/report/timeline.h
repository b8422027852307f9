// A recording's time in parts that are few enough to be drawn.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dbtrace::report {

// Times in nanoseconds; `begin_ns` since the Unix epoch. Bucket i is the time from begin_ns + i *
// width_ns on.
struct Timeline {
  static constexpr size_t kMost = 120;

  uint64_t begin_ns = 0;
  uint64_t width_ns = 1;
  size_t buckets = 1;  // from 1 to kMost

  // Of a width that a person would choose.
  [[nodiscard]] static Timeline of(uint64_t begin_ns, uint64_t end_ns);
  // When it ends; the last one: never.
  [[nodiscard]] uint64_t end_of(size_t bucket) const;
};

}  // namespace dbtrace::report
