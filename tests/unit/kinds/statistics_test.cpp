#include "src/kinds/statistics.h"

#include <gtest/gtest.h>

namespace dbtrace::kinds {
namespace {

using model::Histogram;

RankTest rank_test(const Histogram& a, const Histogram& b) {
  return kinds::rank_test(Sample{.durations = a, .slices = {}},
                          Sample{.durations = b, .slices = {}});
}

TailTest tail_test(const Histogram& a, const Histogram& b) {
  return kinds::tail_test(Sample{.durations = a, .slices = {}},
                          Sample{.durations = b, .slices = {}});
}

Histogram of(std::initializer_list<uint64_t> values) {
  Histogram histogram;
  for (const uint64_t value : values) histogram.add(value);
  return histogram;
}

TEST(RankTest, IsMannAndWhitneys) {
  // U = 25 of 25 pairs: z = (12.5 - 0.5) / sqrt(25 * 11 / 12) = 2.5067.
  const RankTest apart = rank_test(of({1, 2, 3, 4, 5}), of({6, 7, 8, 9, 10}));
  EXPECT_DOUBLE_EQ(apart.superiority, 1.0);
  EXPECT_NEAR(apart.p, 0.012186, 1e-5);
  const RankTest back = rank_test(of({6, 7, 8, 9, 10}), of({1, 2, 3, 4, 5}));
  EXPECT_DOUBLE_EQ(back.superiority, 0.0);
  EXPECT_NEAR(back.p, 0.012186, 1e-5);
}

TEST(RankTest, TiesAreCorrectedFor) {
  // a: 1 1 2, b: 1 2 2; U = 6 of 9; ties of 3 and 3:
  // variance 9/12 * (7 - 48/30) = 4.05, z = (1.5 - 0.5) / 2.01246.
  const RankTest test = rank_test(of({1, 1, 2}), of({1, 2, 2}));
  EXPECT_NEAR(test.superiority, 6.0 / 9, 1e-12);
  EXPECT_NEAR(test.p, 0.61925, 1e-4);
}

TEST(RankTest, TheSameOrNothingIsNoDifference) {
  EXPECT_DOUBLE_EQ(rank_test(of({5, 5, 5}), of({5, 5})).p, 1.0);
  EXPECT_DOUBLE_EQ(rank_test(of({5, 5, 5}), of({5, 5})).superiority, 0.5);
  EXPECT_DOUBLE_EQ(rank_test(of({}), of({5})).p, 1.0);
  EXPECT_DOUBLE_EQ(rank_test(of({}), of({})).p, 1.0);
}

TEST(TailTest, ComparesTheSlowestTwentieth) {
  Histogram a, b;
  a.add(10, 990);
  a.add(1000, 10);
  b.add(10, 930);
  b.add(1000, 70);
  const TailTest test = tail_test(a, b);
  EXPECT_TRUE(test.enough);
  EXPECT_NEAR(test.part_a, 0.01, 1e-12);
  EXPECT_NEAR(test.part_b, 0.07, 1e-12);
  // pooled 0.04, deviation 0.0087636, z = (0.06 - 0.001) / deviation = 6.7324.
  EXPECT_NEAR(test.p / 1.669e-11, 1, 0.01);
}

TEST(TailTest, NeedsEnoughValues) {
  Histogram a, b;
  a.add(10, 50);
  b.add(10, 49);
  b.add(1000, 1);
  EXPECT_FALSE(tail_test(a, b).enough);
  EXPECT_DOUBLE_EQ(tail_test(a, b).p, 1.0);
  EXPECT_DOUBLE_EQ(tail_test(Histogram(), b).p, 1.0);
}

TEST(TailTest, OneBucketHasNoTail) {
  Histogram a, b;
  a.add(10, 1000);
  b.add(10, 1000);
  EXPECT_FALSE(tail_test(a, b).enough);
}

TEST(Absence, IsTheChanceThatAllFallIntoOneSpan) {
  EXPECT_DOUBLE_EQ(absence_p(1, 60, 60), 1.0);
  EXPECT_DOUBLE_EQ(absence_p(10, 60, 60), 2.0 / 1024);
  EXPECT_NEAR(absence_p(10, 90, 30), 0.0563, 1e-3);  // seen for longer: less of a surprise
  EXPECT_DOUBLE_EQ(absence_p(0, 60, 60), 1.0);
  EXPECT_DOUBLE_EQ(absence_p(5, 0, 0), 1.0);
}

}  // namespace
}  // namespace dbtrace::kinds
