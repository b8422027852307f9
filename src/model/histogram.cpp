#include "src/model/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dbtrace::model {
namespace {

constexpr unsigned kBits = DBT_LOG_LINEAR_BITS;
constexpr size_t kParts = size_t{1} << kBits;  // of each power of two

uint64_t saturated_sum(uint64_t a, uint64_t b) {
  return a > std::numeric_limits<uint64_t>::max() - b ? std::numeric_limits<uint64_t>::max()
                                                      : a + b;
}

}  // namespace

uint64_t Histogram::least(size_t bucket) {
  if (bucket < kParts) return bucket;
  const size_t exponent = (bucket >> kBits) - 1;
  return (kParts + (bucket & (kParts - 1))) << exponent;
}

uint64_t Histogram::greatest(size_t bucket) {
  return bucket + 1 < kBuckets ? least(bucket + 1) - 1 : std::numeric_limits<uint64_t>::max();
}

void Histogram::add_bucket(size_t bucket, uint64_t times) {
  if (bucket >= kBuckets || times == 0) return;
  if (bucket >= counts_.size()) counts_.resize(bucket + 1);
  counts_[bucket] = saturated_sum(counts_[bucket], times);
  count_ = saturated_sum(count_, times);
}

void Histogram::merge(const Histogram& other) {
  for (size_t bucket = 0; bucket < other.counts_.size(); ++bucket)
    add_bucket(bucket, other.counts_[bucket]);
}

void Histogram::subtract(const Histogram& earlier) {
  for (size_t bucket = 0; bucket < std::min(counts_.size(), earlier.counts_.size()); ++bucket) {
    const uint64_t taken = std::min(counts_[bucket], earlier.counts_[bucket]);
    counts_[bucket] -= taken;
    count_ -= taken;
  }
  while (!counts_.empty() && counts_.back() == 0) counts_.pop_back();
}

uint64_t Histogram::quantile(double fraction) const {
  if (count_ == 0) return 0;
  const double rank = std::ceil(std::clamp(fraction, 0.0, 1.0) * static_cast<double>(count_));
  uint64_t seen = 0;
  for (size_t bucket = 0; bucket < counts_.size(); ++bucket) {
    seen = saturated_sum(seen, counts_[bucket]);
    // The last one in use ends the search, should the rank have been rounded up.
    if (seen > 0 && (static_cast<double>(seen) >= rank || bucket + 1 == counts_.size()))
      return least(bucket) + (greatest(bucket) - least(bucket)) / 2;
  }
  return 0;
}

uint64_t Histogram::at_most() const { return count_ == 0 ? 0 : greatest(counts_.size() - 1); }

std::vector<Histogram::Range> Histogram::ranges(size_t most) const {
  if (count_ == 0) return {};
  const auto used = [](uint64_t times) { return times > 0; };
  const size_t first = static_cast<size_t>(std::ranges::find_if(counts_, used) - counts_.begin());
  const size_t last = counts_.size() - 1;
  size_t width = 1;  // buckets a range; divides the parts of a power of two
  while (width < kParts && last / width - first / width + 1 > most) width *= 2;
  std::vector<Range> ranges;
  for (size_t begin = first / width * width; begin <= last; begin += width) {
    uint64_t count = 0;
    for (size_t bucket = begin; bucket < std::min(begin + width, counts_.size()); ++bucket)
      count = saturated_sum(count, counts_[bucket]);
    ranges.push_back({least(begin), greatest(begin + width - 1), count});
  }
  return ranges;
}

}  // namespace dbtrace::model
