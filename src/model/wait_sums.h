// What all queries together have spent their time with, by cause.
#pragma once

#include <array>
#include <cstdint>

#include "src/model/budget.h"
#include "src/model/histogram.h"

namespace dbtrace::model {

// Times in nanoseconds.
struct WaitSums {
  std::array<uint64_t, kCauses> ns{};      // up to the moment of the look
  std::array<Histogram, kCauses> lengths;  // of waits that have ended; OnCpu has none
  std::array<uint64_t, kCauses> now{};     // threads in queries, by what they are at

  void add(const WaitSums& other) {
    for (size_t i = 0; i < kCauses; ++i) {
      ns[i] += other.ns[i];
      lengths[i].merge(other.lengths[i]);
      now[i] += other.now[i];
    }
  }
  // Leaves what was spent since `earlier`, an older look at the same sums.
  void subtract(const WaitSums& earlier) {
    for (size_t i = 0; i < kCauses; ++i) {
      ns[i] -= ns[i] < earlier.ns[i] ? ns[i] : earlier.ns[i];
      lengths[i].subtract(earlier.lengths[i]);
    }
  }
  [[nodiscard]] uint64_t total_ns() const {
    uint64_t sum = 0;
    for (const uint64_t part : ns) sum += part;
    return sum;
  }
};

}  // namespace dbtrace::model
