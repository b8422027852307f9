#include "src/kinds/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

namespace dbtrace::kinds {
namespace {

using Random = std::mt19937_64;

// Log-normal durations around `median_ns`, of which the part `slow` takes 50 times as long.
Measured sample(Random& random, size_t count, double median_ns, double slow = 0) {
  std::lognormal_distribution<double> durations(std::log(median_ns), 0.7);
  std::bernoulli_distribution is_slow(slow);
  Measured measured;
  for (size_t i = 0; i < count; ++i) {
    const auto ns = static_cast<uint64_t>(durations(random) * (is_slow(random) ? 50 : 1));
    ++measured.count;
    measured.total_ns += ns;
    measured.max_ns = std::max(measured.max_ns, ns);
    measured.durations.add(ns);
  }
  return measured;
}

Verdict verdict_of(const Measured& before, const Measured& after,
                   const CompareOptions& options = {}) {
  return compare({{"1", "select", before, after}}, options).front().verdict;
}

TEST(Compare, TellsSlowerFromFaster) {
  Random random(1);
  EXPECT_EQ(verdict_of(sample(random, 500, 1e6), sample(random, 500, 1.5e6)), Verdict::Slower);
  EXPECT_EQ(verdict_of(sample(random, 500, 1.5e6), sample(random, 500, 1e6)), Verdict::Faster);
}

TEST(Compare, ASlowerTailIsToldApart) {
  Random random(2);
  const Measured before = sample(random, 5000, 1e6, 0.001), after = sample(random, 5000, 1e6, 0.06);
  EXPECT_EQ(verdict_of(before, after), Verdict::SlowerTail);
  EXPECT_EQ(verdict_of(after, before), Verdict::FasterTail);
}

TEST(Compare, WhatIsSureButSmallIsTheSame) {
  Random random(3);
  const Measured before = sample(random, 100'000, 1e6), after = sample(random, 100'000, 1.08e6);
  EXPECT_EQ(verdict_of(before, after), Verdict::Same);
  EXPECT_EQ(verdict_of(before, after, {.least_change = 0.05}), Verdict::Same);  // superiority
  const Measured more = sample(random, 100'000, 1.3e6);
  EXPECT_EQ(verdict_of(before, more), Verdict::Slower);
  EXPECT_EQ(verdict_of(before, more, {.least_change = 0.5}), Verdict::Same);
}

TEST(Compare, WhatIsLargeButNotSureIsTheSame) {
  Random random(4);
  EXPECT_EQ(verdict_of(sample(random, 12, 1e6), sample(random, 12, 1.5e6)), Verdict::Same);
  EXPECT_EQ(verdict_of(sample(random, 5, 1e6), sample(random, 500, 9e6)), Verdict::TooFew);
}

TEST(Compare, AppearedAndVanishedMustBeMoreThanRare) {
  Random random(5);
  const Measured often = sample(random, 50, 1e6), once = sample(random, 1, 1e6);
  const auto verdict = [](std::optional<Measured> before, std::optional<Measured> after) {
    return compare({{"1", "select", std::move(before), std::move(after)}}, {}).front().verdict;
  };
  EXPECT_EQ(verdict({}, often), Verdict::Appeared);
  EXPECT_EQ(verdict(often, {}), Verdict::Vanished);
  EXPECT_EQ(verdict({}, once), Verdict::TooFew);
  EXPECT_EQ(verdict(once, {}), Verdict::TooFew);
}

TEST(Compare, AFindingMustStandAmongAllTests) {
  Random random(6);
  // Alone it is sure enough (p about 0.001), among 1,000 kinds it is not.
  const Measured before = sample(random, 30, 1e6), after = sample(random, 30, 1.9e6);
  ASSERT_EQ(verdict_of(before, after), Verdict::Slower);
  std::vector<Pair> pairs = {{"0", "select", before, after}};
  for (int i = 1; i < 1000; ++i)
    pairs.push_back(
        {std::to_string(i), "select", sample(random, 30, 1e6), sample(random, 30, 1e6)});
  for (const Difference& difference : compare(pairs, {}))
    EXPECT_EQ(difference.verdict, Verdict::Same) << difference.p;
}

TEST(Compare, TheGreatestChangeOfLoadComesFirst) {
  Random random(7);
  const std::vector<Pair> pairs = {
      {"small", "", sample(random, 100, 1e6), sample(random, 100, 2e6)},
      {"large", "", sample(random, 1000, 1e6), sample(random, 1000, 3e6)},
      {"gone", "", sample(random, 500, 1e6), {}},
  };
  const auto differences = compare(pairs, {.before_seconds = 10, .after_seconds = 10});
  EXPECT_EQ(differences[0].pair, 1U);
  EXPECT_EQ(differences[1].pair, 2U);
  EXPECT_LT(differences[1].seconds_per_second, 0);
  EXPECT_EQ(differences[2].pair, 0U);
}

// Runs of which nothing has changed, kinds of all sizes: in how many is anything found?
size_t false_alarms(size_t runs, const CompareOptions& options) {
  Random random(8);
  size_t alarms = 0;
  for (size_t run = 0; run < runs; ++run) {
    std::vector<Pair> pairs;
    for (size_t kind = 0; kind < 40; ++kind) {
      const size_t count = size_t{8} << (kind % 8);
      std::uniform_int_distribution<size_t> about(count * 3 / 4, count * 5 / 4);
      pairs.push_back({std::to_string(kind), "", sample(random, about(random), 1e5, 0.02),
                       sample(random, about(random), 1e5, 0.02)});
    }
    const auto differences = compare(pairs, options);
    alarms += std::ranges::any_of(differences, [](const Difference& difference) {
      return difference.verdict != Verdict::Same && difference.verdict != Verdict::TooFew;
    });
  }
  return alarms;
}

TEST(Compare, DoesNotCryWolfOnNoise) {
  constexpr size_t kRuns = 500;
  const size_t alarms = false_alarms(kRuns, {});
  std::printf("  %zu of %zu pairs of equal runs of 40 kinds give a finding (alpha 1 %%)\n", alarms,
              kRuns);
  EXPECT_LE(alarms, 10U);
}

// The tests alone, without a least change, keep what they promise: 5 % of 500 are 25, and
// 40 has a chance of 0.2 %.
TEST(Compare, KeepsItsFalseAlarmRateWithoutALeastChange) {
  constexpr size_t kRuns = 500;
  const size_t alarms = false_alarms(kRuns, {.alpha = 0.05, .least_change = 0});
  std::printf("  %zu of %zu without a least change, at alpha 5 %%\n", alarms, kRuns);
  EXPECT_LE(alarms, 40U);
}

// A run on a machine that is now busy and now not: all queries of a stretch are slower or
// faster together.
Measured disturbed(Random& random, double median_ns, double disturbance) {
  std::lognormal_distribution<double> disturbances(0, disturbance);
  Measured run;
  for (size_t stretch = 0; stretch < 16; ++stretch) {
    const Measured part = sample(random, 200, median_ns * disturbances(random));
    run.count += part.count;
    run.total_ns += part.total_ns;
    run.max_ns = std::max(run.max_ns, part.max_ns);
    run.durations.merge(part.durations);
    run.slices.push_back(slice_of(part.durations));
  }
  return run;
}

TEST(Compare, DoesNotTakeDisturbancesForChanges) {
  constexpr size_t kRuns = 300, kKinds = 8;
  size_t alarms = 0, naive_alarms = 0;
  Random random(9);
  for (size_t run = 0; run < kRuns; ++run) {
    std::vector<Pair> pairs;
    for (size_t kind = 0; kind < kKinds; ++kind)
      pairs.push_back(
          {std::to_string(kind), "", disturbed(random, 1e6, 0.6), disturbed(random, 1e6, 0.6)});
    const auto is_alarm = [](const Difference& difference) {
      return difference.verdict != Verdict::Same;
    };
    alarms += std::ranges::any_of(compare(pairs, {}), is_alarm);
    for (Pair& pair : pairs) {
      pair.before->slices.clear();
      pair.after->slices.clear();
    }
    naive_alarms += std::ranges::any_of(compare(pairs, {}), is_alarm);
  }
  std::printf(
      "  %zu of %zu pairs of disturbed runs of %zu kinds give a finding; %zu would if "
      "queries were taken as independent\n",
      alarms, kRuns, kKinds, naive_alarms);
  EXPECT_LE(alarms, 10U);
  EXPECT_GE(naive_alarms, kRuns / 2);
}

TEST(Compare, FindsChangesAmongDisturbances) {
  Random random(10);
  EXPECT_EQ(verdict_of(disturbed(random, 1e6, 0.3), disturbed(random, 2e6, 0.3)), Verdict::Slower);
}

}  // namespace
}  // namespace dbtrace::kinds
