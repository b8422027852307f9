// Intervals of a recording's time, from its begin on.
#pragma once

#include <cstdint>

namespace dbtrace::commands {

class Intervals {
 public:
  // `length_ns`: not zero. Times since the Unix epoch, whatever a file says.
  Intervals(uint64_t begin_ns, uint64_t length_ns) : begin_ns_(begin_ns), length_ns_(length_ns) {}

  // Which one a moment is in.
  [[nodiscard]] uint64_t number_of(uint64_t at_ns) const {
    return at_ns < begin_ns_ ? 0 : (at_ns - begin_ns_) / length_ns_;
  }
  [[nodiscard]] uint64_t begin_of(uint64_t number) const { return begin_ns_ + number * length_ns_; }
  [[nodiscard]] uint64_t end_of(uint64_t number) const { return begin_of(number) + length_ns_; }

 private:
  uint64_t begin_ns_, length_ns_;
};

}  // namespace dbtrace::commands
