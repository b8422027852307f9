// What all queries together have spent their time with, by cause.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "src/model/budget.h"
#include "src/model/histogram.h"

namespace dbtrace::model {

// Waits for one event, in nanoseconds.
struct EventSums {
  uint64_t ns = 0;     // up to the moment of the look
  uint64_t waits = 0;  // that have ended
  uint64_t now = 0;    // threads that wait for it
};

// Times in nanoseconds.
struct WaitSums {
  std::array<uint64_t, kCauses> ns{};      // up to the moment of the look
  std::array<Histogram, kCauses> lengths;  // of waits that have ended; OnCpu has none
  std::array<uint64_t, kCauses> now{};     // threads in queries, by what they are at
  std::map<WaitEvent, EventSums> events;   // of servers that say what they wait for

  void add(const WaitSums& other) {
    for (size_t i = 0; i < kCauses; ++i) {
      ns[i] += other.ns[i];
      lengths[i].merge(other.lengths[i]);
      now[i] += other.now[i];
    }
    for (const auto& [event, sums] : other.events) {
      EventSums& own = events[event];
      own.ns += sums.ns;
      own.waits += sums.waits;
      own.now += sums.now;
    }
  }
  // Only what has been is left.
  void nobody_waits() {
    now = {};
    for (auto& [event, sums] : events) sums.now = 0;
  }
  // Leaves what was spent since `earlier`, an older look at the same sums.
  void subtract(const WaitSums& earlier) {
    for (size_t i = 0; i < kCauses; ++i) {
      ns[i] -= ns[i] < earlier.ns[i] ? ns[i] : earlier.ns[i];
      lengths[i].subtract(earlier.lengths[i]);
    }
    for (const auto& [event, sums] : earlier.events) {
      EventSums& own = events[event];
      own.ns -= std::min(own.ns, sums.ns);
      own.waits -= std::min(own.waits, sums.waits);
    }
    std::erase_if(events, [](const auto& entry) {
      return entry.second.ns == 0 && entry.second.waits == 0 && entry.second.now == 0;
    });
  }
  // The heaviest first, by time.
  [[nodiscard]] std::vector<std::pair<WaitEvent, EventSums>> events_by_time() const {
    std::vector<std::pair<WaitEvent, EventSums>> sorted(events.begin(), events.end());
    std::ranges::stable_sort(sorted, std::greater(),
                             [](const auto& entry) { return entry.second.ns; });
    return sorted;
  }
  [[nodiscard]] uint64_t total_ns() const {
    uint64_t sum = 0;
    for (const uint64_t part : ns) sum += part;
    return sum;
  }
};

}  // namespace dbtrace::model
