// When to try again what has failed.
#pragma once

#include <chrono>
#include <optional>

namespace dbtrace::otlp {

// Twice as long each time, and less by chance, so that what many machines send to one collector
// does not come at once. Not thread-safe.
class Backoff {
 public:
  using Time = std::chrono::milliseconds;
  static constexpr Time kFirst{1'000}, kLongest{60'000};
  // What a collector may ask for.
  static constexpr Time kMostAskedFor{600'000};

  // `chance`: 0 to 1. At least half of what it would be without, and at least what was asked for.
  [[nodiscard]] Time next(std::optional<std::chrono::seconds> asked_for, double chance);
  void reset() { next_ = kFirst; }

 private:
  Time next_ = kFirst;
};

}  // namespace dbtrace::otlp
