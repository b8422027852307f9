// When something that is done again and again is due.
#pragma once

#include <algorithm>
#include <chrono>

namespace dbtrace::commands {

// Falls behind rather than catching up. Not thread-safe.
class Pace {
 public:
  Pace() = default;  // never
  [[nodiscard]] static Pace from_now(std::chrono::nanoseconds interval) {
    return {interval, Clock::now()};
  }
  // The first time when the first interval is over.
  [[nodiscard]] static Pace after_each(std::chrono::nanoseconds interval) {
    return {interval, Clock::now() + interval};
  }

  // True once an interval.
  [[nodiscard]] bool due() {
    const auto now = Clock::now();
    if (interval_.count() == 0 || now < next_) return false;
    next_ = std::max(next_ + interval_, now);
    return true;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Pace(std::chrono::nanoseconds interval, Clock::time_point first)
      : interval_(interval), next_(first) {}

  std::chrono::nanoseconds interval_{0};
  Clock::time_point next_;
};

}  // namespace dbtrace::commands
