// Whether two samples of durations differ by more than chance.
//
// Queries that follow each other are not independent: a busy moment makes many of them slow.
// So chance is measured, not only supposed: a difference must be large beside what one finds
// between independent queries, and beside what one finds between stretches of the same run
// (as between clusters; Obuchowski 1997), joined two by two as long as there are enough, as
// whatever disturbs may last for longer than a stretch.
#pragma once

#include <cstdint>
#include <span>

#include "src/kinds/slices.h"
#include "src/model/histogram.h"

namespace dbtrace::kinds {

struct Sample {
  const model::Histogram& durations;
  // The same, by stretch. None: not known; then queries are taken as independent.
  std::span<const Slice> slices;
};

// Mann and Whitney's test: whether values of one sample tend to be greater than those of
// the other. Of their distribution it supposes nothing. Ties (values of the same bucket)
// are corrected for; p by the normal approximation, with continuity correction.
struct RankTest {
  // The chance that a value of `b` is greater than one of `a` (ties: half): 0.5 when
  // neither tends to be.
  double superiority = 0.5;
  double p = 1;  // two-sided
};
[[nodiscard]] RankTest rank_test(const Sample& a, const Sample& b);

// Whether the slowest of both come from one of them more often than its size explains:
// two proportions, of the values beyond the pooled 95th percentile. Permutations of the
// pooled sample keep that percentile, so choosing it from the data is no bias.
struct TailTest {
  double part_a = 0;  // of a's values that are beyond it
  double part_b = 0;
  double p = 1;         // two-sided, normal approximation with Yates' correction
  bool enough = false;  // values for that approximation; else p is 1
};
[[nodiscard]] TailTest tail_test(const Sample& a, const Sample& b);

// The chance that `count` events that happen at one rate all fall into the second of two
// spans, or all into the first: two-sided. For what was seen in one of them only.
[[nodiscard]] double absence_p(uint64_t count, double length_of_seen, double length_of_other);

}  // namespace dbtrace::kinds
