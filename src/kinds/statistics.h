// Whether two samples of durations differ by more than chance, from their histograms.
#pragma once

#include <cstdint>

#include "src/model/histogram.h"

namespace dbtrace::kinds {

// Mann and Whitney's test: whether values of one sample tend to be greater than those of
// the other. Of their distribution it supposes nothing. Ties (values of the same bucket)
// are corrected for; p by the normal approximation, with continuity correction, which is on
// the safe side for small samples.
struct RankTest {
  // The chance that a value of `b` is greater than one of `a` (ties: half): 0.5 when
  // neither tends to be.
  double superiority = 0.5;
  double p = 1;  // two-sided
};
[[nodiscard]] RankTest rank_test(const model::Histogram& a, const model::Histogram& b);

// Whether the slowest of both come from one of them more often than its size explains:
// two proportions, of the values beyond the pooled 95th percentile. Permutations of the
// pooled sample keep that percentile, so choosing it from the data is no bias.
struct TailTest {
  double part_a = 0;  // of a's values that are beyond it
  double part_b = 0;
  double p = 1;         // two-sided, normal approximation with Yates' correction
  bool enough = false;  // values for that approximation; else p is 1
};
[[nodiscard]] TailTest tail_test(const model::Histogram& a, const model::Histogram& b);

// The chance that `count` events that happen at one rate all fall into the second of two
// spans, or all into the first: two-sided. For what was seen in one of them only.
[[nodiscard]] double absence_p(uint64_t count, double length_of_seen, double length_of_other);

}  // namespace dbtrace::kinds
