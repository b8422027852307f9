// What many queries come to together: counts, times, and how the times are distributed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "src/model/budget.h"
#include "src/model/histogram.h"
#include "src/model/query.h"

namespace dbtrace::model {

// One query of many, to look at.
struct Example {
  static constexpr size_t kMostText = 1024;  // bytes that are kept

  uint64_t start_ns = 0;  // wall clock, since the Unix epoch
  uint64_t duration_ns = 0;
  uint32_t pid = 0;
  std::optional<uint64_t> connection_id;
  std::string text;          // raw bytes, secrets included; perhaps cut
  uint64_t text_length = 0;  // the true length in bytes
  std::optional<Budget> budget;

  [[nodiscard]] static Example of(const Query& query);
};

// A plain value; all times in nanoseconds. Whoever counts elsewhere (the kernel) fills the
// members that it knows: `count` is then the histogram's count, as it is here.
struct Sums {
  uint64_t count = 0;
  uint64_t errors = 0;  // of them: failed
  uint64_t total_ns = 0;
  uint64_t max_ns = 0;  // exact
  Histogram durations;

  uint64_t rows_sent = 0;
  uint64_t rows_sent_known = 0;  // of how many queries; 0: not known at all
  uint64_t rows_examined = 0;
  uint64_t rows_examined_known = 0;

  uint64_t budgets = 0;  // how many queries had one; what follows is about those only
  // They add up to these queries' durations.
  std::array<uint64_t, kCauses> by_cause_ns{};
  uint64_t unexplained_ns = 0;
  uint64_t io_known = 0;  // of how many queries what follows is; 0: not known at all
  IoCounts io{};

  std::optional<Example> slowest;  // none: nobody kept it

  void add(const Query& query);
  void merge(const Sums& other);
  // Leaves what has come since `earlier`, a state that this one has grown from. Whatever
  // cannot be told from two sums is the least that is sure not to be too small: the
  // greatest durations are those that the histograms allow.
  void subtract(const Sums& earlier);

  [[nodiscard]] uint64_t ns(Cause cause) const { return by_cause_ns[static_cast<size_t>(cause)]; }
  // All budgets together.
  [[nodiscard]] Budget budget() const {
    return {.by_cause_ns = by_cause_ns, .unexplained_ns = unexplained_ns};
  }
  // The durations of those with a budget: what shares are shares of.
  [[nodiscard]] uint64_t budgeted_ns() const;
  [[nodiscard]] uint64_t io_ns() const;  // time in operations on files
  [[nodiscard]] uint64_t mean_ns() const { return count ? total_ns / count : 0; }
  // As Histogram::quantile(), but never more than the greatest duration.
  [[nodiscard]] uint64_t quantile_ns(double fraction) const;
};

}  // namespace dbtrace::model
