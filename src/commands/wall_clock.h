// The kernel stamps events with CLOCK_MONOTONIC; people read the wall clock.
#pragma once

#include <cstdint>
#include <ctime>

namespace dbtrace::commands {

// Nanoseconds of `clock` now.
[[nodiscard]] inline uint64_t nanoseconds_of(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<uint64_t>(time.tv_nsec);
}

// What to add to a CLOCK_MONOTONIC time. The wall clock may be set at any time.
[[nodiscard]] inline uint64_t wall_clock_offset() {
  const uint64_t monotonic = nanoseconds_of(CLOCK_MONOTONIC);
  return nanoseconds_of(CLOCK_REALTIME) - monotonic;
}

}  // namespace dbtrace::commands
