#include "src/kinds/statistics.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "src/kinds/clusters.h"

namespace dbtrace::kinds {
namespace {

using model::Histogram;

constexpr double kTail = 0.05;
// Values that are expected in each cell of the table of two proportions.
constexpr double kEnough = 10;

uint64_t at(const Histogram& histogram, size_t bucket) {
  return bucket < histogram.counts().size() ? histogram.counts()[bucket] : 0;
}

size_t buckets(const Histogram& a, const Histogram& b) {
  return std::max(a.counts().size(), b.counts().size());
}

double two_sided(double z) { return std::erfc(std::abs(z) / std::sqrt(2.0)); }

// Both together, by wide bucket.
std::vector<double> pooled(const Histogram& a, const Histogram& b) {
  std::vector<double> counts(buckets(a, b) / kSliceWidth + 1);
  for (size_t bucket = 0; bucket < buckets(a, b); ++bucket)
    counts[bucket / kSliceWidth] += static_cast<double>(at(a, bucket) + at(b, bucket));
  return counts;
}

// Of each wide bucket: the part of all values that are less, those in it by half.
std::vector<double> ranks(const Histogram& a, const Histogram& b) {
  std::vector<double> scores = pooled(a, b);
  const double all = static_cast<double>(a.count()) + static_cast<double>(b.count());
  double below = 0;
  for (double& score : scores) {
    const double count = score;
    score = (below + count / 2) / all;
    below += count;
  }
  return scores;
}

// Of each wide bucket: 1 in the tail, else 0.
std::vector<double> tail(const Histogram& a, const Histogram& b) {
  std::vector<double> scores = pooled(a, b);
  const double all = static_cast<double>(a.count()) + static_cast<double>(b.count());
  double beyond = 0;
  for (size_t i = scores.size(); i-- > 0;) {
    beyond += scores[i];
    scores[i] = beyond <= kTail * all ? 1 : 0;
  }
  return scores;
}

bool are_known(const Sample& a, const Sample& b) { return !a.slices.empty() && !b.slices.empty(); }

RankTest independent_rank_test(const Histogram& a, const Histogram& b) {
  const auto of_a = static_cast<double>(a.count()), of_b = static_cast<double>(b.count());
  if (of_a == 0 || of_b == 0) return {};
  double greater = 0;  // pairs where b's value is
  double ties = 0;
  double below = 0;  // values of a in the buckets before
  for (size_t bucket = 0; bucket < buckets(a, b); ++bucket) {
    const auto in_a = static_cast<double>(at(a, bucket)), in_b = static_cast<double>(at(b, bucket));
    greater += in_b * (below + in_a / 2);
    below += in_a;
    const double tied = in_a + in_b;
    ties += tied * (tied * tied - 1);
  }
  const double pairs = of_a * of_b, all = of_a + of_b;
  RankTest test{.superiority = greater / pairs, .p = 1};
  const double variance = pairs / 12 * ((all + 1) - ties / (all * (all - 1)));
  if (!(variance > 0)) return test;
  const double distance = std::max(0.0, std::abs(greater - pairs / 2) - 0.5);
  test.p = two_sided(distance / std::sqrt(variance));
  return test;
}

TailTest independent_tail_test(const Histogram& a, const Histogram& b) {
  const auto of_a = static_cast<double>(a.count()), of_b = static_cast<double>(b.count());
  const double all = of_a + of_b;
  TailTest test;
  double beyond_a = 0, beyond_b = 0;
  // From the greatest down, as long as whole buckets stay within the tail.
  for (size_t bucket = buckets(a, b); bucket-- > 0;) {
    const auto in_a = static_cast<double>(at(a, bucket)), in_b = static_cast<double>(at(b, bucket));
    if (beyond_a + beyond_b + in_a + in_b > kTail * all) break;
    beyond_a += in_a;
    beyond_b += in_b;
  }
  if (of_a == 0 || of_b == 0) return test;
  test.part_a = beyond_a / of_a;
  test.part_b = beyond_b / of_b;
  const double pooled = (beyond_a + beyond_b) / all;
  test.enough = pooled * std::min(of_a, of_b) >= kEnough;
  if (!test.enough) return test;
  const double deviation = std::sqrt(pooled * (1 - pooled) * (1 / of_a + 1 / of_b));
  const double correction = (1 / of_a + 1 / of_b) / 2;
  test.p = two_sided(std::max(0.0, std::abs(test.part_a - test.part_b) - correction) / deviation);
  return test;
}

}  // namespace

RankTest rank_test(const Sample& a, const Sample& b) {
  RankTest test = independent_rank_test(a.durations, b.durations);
  if (test.p < 1 && are_known(a, b))
    test.p = std::max(test.p, clustered_p(a.slices, b.slices, ranks(a.durations, b.durations)));
  return test;
}

TailTest tail_test(const Sample& a, const Sample& b) {
  TailTest test = independent_tail_test(a.durations, b.durations);
  if (test.p < 1 && are_known(a, b))
    test.p = std::max(test.p, clustered_p(a.slices, b.slices, tail(a.durations, b.durations)));
  return test;
}

double absence_p(uint64_t count, double length_of_seen, double length_of_other) {
  const double all = length_of_seen + length_of_other;
  if (!(all > 0)) return 1;
  const auto times = static_cast<double>(count);
  return std::min(1.0,
                  std::pow(length_of_seen / all, times) + std::pow(length_of_other / all, times));
}

}  // namespace dbtrace::kinds
