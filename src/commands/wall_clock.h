// The kernel stamps events with CLOCK_MONOTONIC; people read the wall clock.
#pragma once

#include <cstdint>
#include <string>

#include "src/attach/clock.h"

namespace dbtrace::commands {

using attach::nanoseconds_of;

// What to add to a CLOCK_MONOTONIC time. The wall clock may be set at any time.
[[nodiscard]] inline uint64_t wall_clock_offset() {
  const uint64_t monotonic = nanoseconds_of(CLOCK_MONOTONIC);
  return nanoseconds_of(CLOCK_REALTIME) - monotonic;
}

// "12:00:05", now and here.
[[nodiscard]] std::string local_time();

}  // namespace dbtrace::commands
