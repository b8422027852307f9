// A recording's time in intervals of one length, the last of which may be shorter.
#pragma once

#include <algorithm>
#include <cstdint>

namespace dbtrace::commands {

// A plain value. Moments are nanoseconds since the recording's begin. Whatever a file says, a
// moment lies within it, and each is in exactly one interval.
class Intervals {
 public:
  // Wall clock, since the Unix epoch; `length_ns` > 0.
  Intervals(uint64_t begin_ns, uint64_t end_ns, uint64_t length_ns)
      : begin_ns_(begin_ns),
        all_ns_(end_ns > begin_ns ? end_ns - begin_ns : 0),
        length_ns_(length_ns) {}

  // At least one.
  [[nodiscard]] uint64_t count() const { return all_ns_ ? (all_ns_ - 1) / length_ns_ + 1 : 1; }
  [[nodiscard]] uint64_t all_ns() const { return all_ns_; }
  [[nodiscard]] uint64_t length_ns() const { return length_ns_; }
  [[nodiscard]] uint64_t begin_of(uint64_t interval) const { return interval * length_ns_; }
  [[nodiscard]] uint64_t end_of(uint64_t interval) const {
    return is_last(interval) ? all_ns_ : (interval + 1) * length_ns_;
  }
  [[nodiscard]] bool is_last(uint64_t interval) const { return interval + 1 >= count(); }

  [[nodiscard]] uint64_t moment(uint64_t wall_ns) const {
    return std::min(wall_ns > begin_ns_ ? wall_ns - begin_ns_ : 0, all_ns_);
  }
  [[nodiscard]] uint64_t wall_ns(uint64_t moment) const { return begin_ns_ + moment; }
  [[nodiscard]] uint64_t interval_of(uint64_t moment) const {
    return std::min(moment / length_ns_, count() - 1);
  }

 private:
  uint64_t begin_ns_, all_ns_, length_ns_;
};

}  // namespace dbtrace::commands
