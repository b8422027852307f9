// The kernel's clocks as numbers.
#pragma once

#include <cstdint>
#include <ctime>

namespace dbtrace::attach {

// Nanoseconds of `clock` now.
[[nodiscard]] inline uint64_t nanoseconds_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace dbtrace::attach
