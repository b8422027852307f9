#include "src/model/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace dbtrace::model {
namespace {

constexpr uint64_t kLargest = std::numeric_limits<uint64_t>::max();

TEST(Buckets, CoverEveryValueOnceAndInOrder) {
  uint64_t expected = 0;
  for (size_t bucket = 0; bucket < Histogram::kBuckets; ++bucket) {
    ASSERT_EQ(Histogram::least(bucket), expected) << bucket;
    ASSERT_EQ(Histogram::bucket_of(Histogram::least(bucket)), bucket);
    ASSERT_EQ(Histogram::bucket_of(Histogram::greatest(bucket)), bucket);
    expected = Histogram::greatest(bucket) + 1;
  }
  EXPECT_EQ(expected, 0U);  // one beyond the largest value
}

TEST(Buckets, AreExactWhileSmallAndThreePercentWideBeyond) {
  EXPECT_EQ(Histogram::bucket_of(0), 0U);
  EXPECT_EQ(Histogram::bucket_of(31), 31U);
  EXPECT_EQ(Histogram::bucket_of(63), 63U);
  EXPECT_EQ(Histogram::bucket_of(64), Histogram::bucket_of(65));
  EXPECT_NE(Histogram::bucket_of(65), Histogram::bucket_of(66));
  for (size_t bucket = 32; bucket < Histogram::kBuckets; ++bucket) {
    const double width =
        static_cast<double>(Histogram::greatest(bucket) - Histogram::least(bucket));
    ASSERT_LE(width / static_cast<double>(Histogram::least(bucket)), 1.0 / 32);
  }
}

TEST(Quantiles, AreRightToThreePercent) {
  std::mt19937_64 random(42);
  std::lognormal_distribution<double> durations(12, 2.5);
  std::vector<uint64_t> values;
  Histogram histogram;
  for (int i = 0; i < 20000; ++i) {
    values.push_back(static_cast<uint64_t>(durations(random)));
    histogram.add(values.back());
  }
  std::ranges::sort(values);
  EXPECT_EQ(histogram.count(), 20000U);
  for (const double fraction : {0.0001, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const auto exact = static_cast<double>(values[static_cast<size_t>(fraction * 20000) - 1]);
    EXPECT_NEAR(static_cast<double>(histogram.quantile(fraction)), exact, 0.03 * exact) << fraction;
  }
  EXPECT_GE(histogram.at_most(), values.back());
  EXPECT_LE(histogram.at_most(), values.back() + values.back() / 32);
}

TEST(Quantiles, OfFewValues) {
  Histogram histogram;
  EXPECT_EQ(histogram.quantile(0.5), 0U);
  EXPECT_EQ(histogram.at_most(), 0U);
  histogram.add(7);
  for (const double fraction : {-1.0, 0.0, 0.5, 1.0, 2.0})
    EXPECT_EQ(histogram.quantile(fraction), 7U);
  histogram.add(9, 3);
  EXPECT_EQ(histogram.quantile(0.25), 7U);
  EXPECT_EQ(histogram.quantile(0.26), 9U);
  EXPECT_EQ(histogram.at_most(), 9U);
}

TEST(Histograms, MergeAsIfCountedTogether) {
  Histogram small, large, both;
  for (uint64_t value = 0; value < 100; ++value) {
    small.add(value);
    both.add(value);
    large.add(value << 40);
    both.add(value << 40);
  }
  Histogram merged = small;
  merged.merge(large);
  EXPECT_EQ(merged, both);
  merged.subtract(large);
  EXPECT_EQ(merged, small);
  merged.subtract(small);
  EXPECT_EQ(merged, Histogram());
}

TEST(Histograms, AreBoundedAndDoNotOverflow) {
  Histogram histogram;
  histogram.add(kLargest, kLargest);
  histogram.add(kLargest, 5);
  histogram.add(0, 5);
  histogram.add_bucket(Histogram::kBuckets, 1);  // none
  EXPECT_EQ(histogram.count(), kLargest);
  EXPECT_EQ(histogram.counts().size(), Histogram::kBuckets);
  EXPECT_EQ(histogram.at_most(), kLargest);
  EXPECT_EQ(histogram.quantile(0), 0U);
}

TEST(Ranges, HoldEverythingWithoutGaps) {
  Histogram histogram;
  histogram.add(3);
  histogram.add(1000, 2);
  histogram.add(70000, 4);
  for (const size_t most : {1000U, 100U, 60U, 20U, 1U}) {
    const auto ranges = histogram.ranges(most);
    uint64_t count = 0;
    for (size_t i = 0; i < ranges.size(); ++i) {
      count += ranges[i].count;
      if (i > 0) {
        ASSERT_EQ(ranges[i].least, ranges[i - 1].greatest + 1);
      }
    }
    EXPECT_EQ(count, 7U);
    EXPECT_LE(ranges.size(), std::max<size_t>(most, 60));
    EXPECT_GT(ranges.front().count, 0U);
    EXPECT_EQ(ranges.back().count, 4U);
  }
  using Range = Histogram::Range;
  EXPECT_EQ(histogram.ranges(1).front(), (Range{0, 31, 1}));
  EXPECT_EQ(histogram.ranges(1).back(), (Range{65536, 131071, 4}));
  EXPECT_EQ(histogram.ranges(1000).front(), (Range{3, 3, 1}));
  EXPECT_TRUE(Histogram().ranges(10).empty());
}

}  // namespace
}  // namespace dbtrace::model
