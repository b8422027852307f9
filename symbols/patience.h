// When something may be read again that may have changed. For those who look into
// processes.
#pragma once

#include <chrono>

namespace dbtrace::symbols {

// Lets something be read again, but not so often that it costs more than a
// hundredth of the time.
class Patience {
 public:
  // Runs `read` if enough time has passed since it last ran. Returns whether it did.
  template <typename Read>
  bool try_again(Read read) {
    const Clock::time_point start = Clock::now();
    if (start < next_) return false;
    read();
    const Clock::time_point end = Clock::now();
    next_ = end + 99 * (end - start);
    return true;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point next_ = Clock::time_point::min();
};

}  // namespace dbtrace::symbols
