// Which queries are kept whole when there are more than anybody wants to keep. A pure rule: it
// sees the queries' own times and no clock.
#pragma once

#include <cstdint>
#include <optional>
#include <random>

#include "src/model/histogram.h"

namespace dbtrace::recording {

// A stretch of time in which not all were kept; times in nanoseconds since the Unix epoch.
struct Stretch {
  static constexpr uint64_t kNothingIsSlow = INT64_MAX;

  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  uint64_t queries = 0;  // that ended in it, and…
  uint64_t kept = 0;     // …those of them that were kept
  uint64_t one_in = 1;   // of queries faster than slow_ns one in so many was kept, by chance
  uint64_t slow_ns = 0;  // those that took so long were all kept; kNothingIsSlow: none for that
};

// Goes by seconds of which the first queries tell how many are to be expected. Not thread-safe.
class RateLimit {
 public:
  // A second that is over, or in which so many were kept, ends a stretch.
  static constexpr uint64_t kLength_ns = 1'000'000'000;
  // What the slowest hundredth of the stretch before took is slow, …
  static constexpr double kSlow = 0.99;
  // …but at most this part of what may be kept besides is kept for being that.
  static constexpr uint64_t kSlowPart = 4;

  // `most`: queries a second that may be kept besides slow ones; 0: all.
  explicit RateLimit(uint64_t most) : most_(most) {}

  // Before each query, with the time at which it ended: the stretch that is over, if it was one in
  // which not all were kept.
  [[nodiscard]] std::optional<Stretch> advance(uint64_t end_ns);
  // Counts the query, and says for how many it stands; 0: it is not kept.
  [[nodiscard]] uint64_t weight(uint64_t duration_ns);
  // Whether the present stretch is one in which not all are kept.
  [[nodiscard]] bool is_limiting() const { return now_.one_in > 1; }
  // The present stretch, when there are no more queries.
  [[nodiscard]] std::optional<Stretch> finish();

 private:
  void begin(uint64_t begin_ns, uint64_t one_in);
  [[nodiscard]] uint64_t next_one_in() const;
  [[nodiscard]] uint64_t slow_ns() const;
  [[nodiscard]] bool is_slow(uint64_t duration_ns);

  uint64_t most_;
  Stretch now_;
  uint64_t slow_left_ = 0;
  model::Histogram durations_;
  std::minstd_rand chance_{std::random_device{}()};
};

}  // namespace dbtrace::recording
