#include "src/kinds/compare.h"

#include <algorithm>
#include <cmath>

#include "src/kinds/statistics.h"

namespace dbtrace::kinds {
namespace {

// One question to the data.
struct Test {
  size_t pair;
  Verdict if_more;  // what it says, should it be sure: values are greater after…
  Verdict if_less;  // …or before
  bool more;
  bool large_enough;
  double p;
};

double ratio_at(const Pair& pair, double fraction) {
  const auto value = [&](const Measured& measured) {
    return static_cast<double>(std::max<uint64_t>(measured.durations.quantile(fraction), 1));
  };
  return value(*pair.after) / value(*pair.before);
}

bool is_large(double ratio, const CompareOptions& options) {
  return std::max(ratio, 1 / ratio) >= 1 + options.least_change;
}

Sample sample_of(const std::optional<Measured>& measured) {
  return {.durations = measured->durations, .slices = measured->slices};
}

bool are_few(const std::optional<Measured>& measured) {
  return measured && measured->count < kFewest;
}

void ask(size_t at, const Pair& pair, const CompareOptions& options, Difference& difference,
         std::vector<Test>& tests) {
  if (!pair.before || !pair.after) {
    const bool is_new = !pair.before;
    const uint64_t count = (is_new ? pair.after : pair.before)->count;
    const double seen = is_new ? options.after_seconds : options.before_seconds;
    const double other = is_new ? options.before_seconds : options.after_seconds;
    tests.push_back({.pair = at,
                     .if_more = Verdict::Appeared,
                     .if_less = Verdict::Vanished,
                     .more = is_new,
                     .large_enough = true,
                     .p = absence_p(count, seen, other)});
    return;
  }
  if (are_few(pair.before) || are_few(pair.after)) return;
  const RankTest rank = rank_test(sample_of(pair.before), sample_of(pair.after));
  difference.superiority = rank.superiority;
  const double median = ratio_at(pair, 0.5);
  tests.push_back({.pair = at,
                   .if_more = Verdict::Slower,
                   .if_less = Verdict::Faster,
                   .more = rank.superiority > 0.5,
                   .large_enough = std::abs(rank.superiority - 0.5) >= kLeastSuperiority &&
                                   is_large(median, options) &&
                                   (median > 1) == (rank.superiority > 0.5),
                   .p = rank.p});
  const TailTest tail = tail_test(sample_of(pair.before), sample_of(pair.after));
  if (!tail.enough) return;
  const double p95 = ratio_at(pair, 0.95);
  const bool more = tail.part_b > tail.part_a;
  tests.push_back({.pair = at,
                   .if_more = Verdict::SlowerTail,
                   .if_less = Verdict::FasterTail,
                   .more = more,
                   .large_enough = is_large(p95, options) && (p95 > 1) == more &&
                                   std::max(tail.part_a, tail.part_b) >=
                                       kLeastTailRatio * std::min(tail.part_a, tail.part_b),
                   .p = tail.p});
}

// Holm's step-down correction: as many chances as there are tests left.
void correct(std::vector<Test>& tests) {
  std::ranges::stable_sort(tests, {}, &Test::p);
  double greatest = 0;
  for (size_t i = 0; i < tests.size(); ++i) {
    greatest = std::max(greatest, tests[i].p * static_cast<double>(tests.size() - i));
    tests[i].p = std::min(greatest, 1.0);
  }
}

double load(const std::optional<Measured>& measured, double seconds) {
  return measured ? static_cast<double>(measured->total_ns) / 1e9 / seconds : 0;
}

bool is_general(Verdict verdict) {
  return verdict == Verdict::Slower || verdict == Verdict::Faster;
}

// A tail that follows the whole is no news.
void decide(const Test& test, const CompareOptions& options, Difference& difference) {
  const Verdict verdict = test.more ? test.if_more : test.if_less;
  const bool sure = test.p <= options.alpha && test.large_enough;
  if (sure && (is_general(verdict) || !is_general(difference.verdict))) {
    difference.verdict = verdict;
    difference.p = test.p;
  } else if (difference.verdict == Verdict::Same) {
    difference.p = std::min(difference.p, test.p);
  }
}

}  // namespace

std::vector<Difference> compare(const std::vector<Pair>& pairs, const CompareOptions& options) {
  std::vector<Difference> differences;
  std::vector<Test> tests;
  for (size_t at = 0; at < pairs.size(); ++at) {
    const Pair& pair = pairs[at];
    Difference difference{.pair = at};
    difference.seconds_per_second =
        load(pair.after, options.after_seconds) - load(pair.before, options.before_seconds);
    if (!pair.before || !pair.after || are_few(pair.before) || are_few(pair.after))
      difference.verdict = Verdict::TooFew;
    ask(at, pair, options, difference, tests);
    differences.push_back(difference);
  }
  correct(tests);
  for (const Test& test : tests) decide(test, options, differences[test.pair]);
  std::ranges::stable_sort(differences, std::greater(), [](const Difference& difference) {
    return std::abs(difference.seconds_per_second);
  });
  return differences;
}

}  // namespace dbtrace::kinds
