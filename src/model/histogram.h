// How often which value: a log-linear histogram, whose answers are right to 1/32
// (3 %) whatever the size of the values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bpf/log_linear.h"

namespace dbtrace::model {

// Bounded: at most kBuckets counters of 8 bytes, fewer while values are small.
// Cheap to move; may be read from several threads at once. Counts do not
// overflow, they stay at the largest.
class Histogram {
 public:
  static constexpr size_t kBuckets = DBT_LOG_LINEAR_BUCKETS;

  // The bucket of a value, and the least and greatest values of a bucket.
  [[nodiscard]] static size_t bucket_of(uint64_t value) { return dbt_log_linear_bucket(value); }
  [[nodiscard]] static uint64_t least(size_t bucket);
  [[nodiscard]] static uint64_t greatest(size_t bucket);

  void add(uint64_t value, uint64_t times = 1) { add_bucket(bucket_of(value), times); }
  // For what the kernel has counted by bucket. What is no bucket is ignored.
  void add_bucket(size_t bucket, uint64_t times);
  void merge(const Histogram& other);
  // Takes away what `earlier`, a state that this one has grown from, holds.
  void subtract(const Histogram& earlier);

  [[nodiscard]] uint64_t count() const { return count_; }
  // By bucket, up to the last one in use.
  [[nodiscard]] const std::vector<uint64_t>& counts() const { return counts_; }

  // The value below or at which the part `fraction` (0 to 1) of all values lies,
  // the middle of its bucket: at most 1/64 off. 0 when there are none.
  [[nodiscard]] uint64_t quantile(double fraction) const;
  // The same where the greatest value is known exactly: never more than that.
  [[nodiscard]] uint64_t quantile(double fraction, uint64_t greatest) const {
    return std::min(quantile(fraction), greatest);
  }
  // Not less than the greatest value, and at most 1/32 more. 0 when there are none.
  [[nodiscard]] uint64_t at_most() const;

  // The same with fewer, wider buckets: ranges of values in order, without gaps
  // from the first to the last one in use. As fine as `most` of them allow, but
  // never coarser than powers of two (60 of those hold everything).
  struct Range {
    uint64_t least;
    uint64_t greatest;
    uint64_t count;
    friend bool operator==(const Range&, const Range&) = default;
  };
  [[nodiscard]] std::vector<Range> ranges(size_t most) const;

  friend bool operator==(const Histogram&, const Histogram&) = default;

 private:
  std::vector<uint64_t> counts_;
  uint64_t count_ = 0;
};

}  // namespace dbtrace::model
