#include "src/kinds/clusters.h"

#include <gtest/gtest.h>

namespace dbtrace::kinds {
namespace {

// From a table of Student's distribution; the approximation is on the safe side.
TEST(Student, IsThatOfTheTables) {
  EXPECT_NEAR(student_p(4.303, 2), 0.05, 0.004);
  EXPECT_NEAR(student_p(2.776, 4), 0.05, 0.001);
  EXPECT_NEAR(student_p(4.604, 4), 0.01, 0.0006);
  EXPECT_NEAR(student_p(2.086, 20), 0.05, 0.0003);
  EXPECT_NEAR(student_p(3.850, 20), 0.001, 0.00005);
  EXPECT_NEAR(student_p(1.96, 1e9), 0.05, 0.0001);
  EXPECT_DOUBLE_EQ(student_p(0, 5), 1.0);
}

// Stretches in which all queries take the same.
std::vector<Slice> stretches(const std::vector<uint16_t>& buckets, uint64_t count) {
  std::vector<Slice> slices;
  for (const uint16_t bucket : buckets) slices.push_back({{bucket, count}});
  return slices;
}
const std::vector<double> kScores = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

TEST(Clusters, TheNumberOfQueriesInAStretchProvesNothing) {
  const std::vector<uint16_t> a = {1, 5, 2, 4}, b = {3, 6, 2, 5};
  const double few = clustered_p(stretches(a, 10), stretches(b, 10), kScores);
  EXPECT_NEAR(few, clustered_p(stretches(a, 1'000'000), stretches(b, 1'000'000), kScores), 1e-12);
  // Means 3 and 4, variances of the means 0.8333 each: t = 0.7746 with 6 degrees.
  EXPECT_NEAR(few, 0.468, 0.01);
}

TEST(Clusters, StretchesThatAgreeProveMuch) {
  EXPECT_LT(
      clustered_p(stretches({1, 1, 1, 2, 1, 1}, 10), stretches({7, 8, 7, 7, 8, 7}, 10), kScores),
      1e-5);
}

TEST(Clusters, OneStretchProvesNothing) {
  EXPECT_DOUBLE_EQ(clustered_p(stretches({1}, 1000), stretches({9, 9, 9}, 1000), kScores), 1.0);
  EXPECT_DOUBLE_EQ(clustered_p({}, {}, kScores), 1.0);
}

TEST(Clusters, WhatLastsForSeveralStretchesIsSeenByJoiningThem) {
  // Two halves, each of one kind: 16 stretches that look like two.
  std::vector<uint16_t> a(16, 1), b(16, 3);
  for (size_t i = 8; i < 16; ++i) a[i] = 3, b[i] = 5;
  const double joined = clustered_p(stretches(a, 10), stretches(b, 10), kScores);
  EXPECT_GT(joined, 0.03);  // 16 that are independent: 0.0001
}

TEST(Clusters, BucketsWithoutAScoreAreHarmless) {
  EXPECT_GE(clustered_p(stretches({500, 501}, 3), stretches({500, 1}, 3), kScores), 0.0);
}

}  // namespace
}  // namespace dbtrace::kinds
