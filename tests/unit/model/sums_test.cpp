#include "src/model/sums.h"

#include <gtest/gtest.h>

namespace dbtrace::model {
namespace {

Query query_of(uint64_t duration_ns, std::string text = "select 1") {
  Query query;
  query.duration_ns = duration_ns;
  query.text_length = text.size();
  query.text = std::move(text);
  query.error = 0;
  return query;
}

TEST(Sums, AddUpWhatIsKnownOfEachQuery) {
  Sums sums;
  Query query = query_of(1000);
  query.rows_sent = 3;
  query.rows_examined = 30;
  sums.add(query);
  query = query_of(5000);
  query.error = 1064;
  query.rows_sent = 4;  // rows examined: not known
  sums.add(query);
  EXPECT_EQ(sums.count, 2U);
  EXPECT_EQ(sums.errors, 1U);
  EXPECT_EQ(sums.total_ns, 6000U);
  EXPECT_EQ(sums.mean_ns(), 3000U);
  EXPECT_EQ(sums.max_ns, 5000U);
  EXPECT_EQ(sums.durations.count(), 2U);
  EXPECT_EQ(sums.rows_sent, 7U);
  EXPECT_EQ(sums.rows_sent_known, 2U);
  EXPECT_EQ(sums.rows_examined, 30U);
  EXPECT_EQ(sums.rows_examined_known, 1U);
  EXPECT_EQ(sums.budgets, 0U);
}

TEST(Sums, AQueryWhoseErrorIsNotKnownIsNoFailure) {
  Sums sums;
  Query query = query_of(1000);
  query.error.reset();
  sums.add(query);
  EXPECT_EQ(sums.errors, 0U);
}

TEST(Sums, BudgetsAndFileOperationsAddUp) {
  Sums sums;
  Query query = query_of(100);
  query.budget.emplace();
  query.budget->by_cause_ns[static_cast<size_t>(Cause::OnCpu)] = 60;
  query.budget->by_cause_ns[static_cast<size_t>(Cause::RowLock)] = 20;
  query.budget->by_cause_ns[static_cast<size_t>(Cause::Lock)] = 15;
  query.budget->unexplained_ns = 5;
  query.io.emplace();
  query.io->operations[static_cast<size_t>(FileOperation::Fsync)] = {
      .count = 2, .blocked = 1, .bytes = 0, .ns = 40, .max_ns = 30};
  sums.add(query);
  sums.add(query);
  sums.add(query_of(1'000'000));  // without
  EXPECT_EQ(sums.budgets, 2U);
  EXPECT_EQ(sums.ns(Cause::OnCpu), 120U);
  EXPECT_EQ(sums.budget().lock_ns(), 70U);
  EXPECT_EQ(sums.unexplained_ns, 10U);
  EXPECT_EQ(sums.budgeted_ns(), 200U);
  EXPECT_EQ(sums.io_known, 2U);
  EXPECT_EQ(sums.io_ns(), 80U);
  EXPECT_EQ(sums.io[static_cast<size_t>(FileOperation::Fsync)].count, 4U);
  EXPECT_EQ(sums.io[static_cast<size_t>(FileOperation::Fsync)].max_ns, 30U);
}

TEST(Sums, TheSlowestQueryIsKeptWithABoundedText) {
  Sums sums;
  sums.add(query_of(10, "first"));
  Query slow = query_of(30, std::string(100'000, 'x'));
  slow.connection_id = 7;
  sums.add(slow);
  sums.add(query_of(20, "third"));
  ASSERT_TRUE(sums.slowest);
  EXPECT_EQ(sums.slowest->duration_ns, 30U);
  EXPECT_EQ(sums.slowest->connection_id, 7U);
  EXPECT_EQ(sums.slowest->text.size(), Example::kMostText);
  EXPECT_EQ(sums.slowest->text_length, 100'000U);
}

TEST(Sums, MergedAreThoseOfAllQueries) {
  Sums all, parts[2];
  for (uint64_t i = 1; i <= 1000; ++i) {
    Query query = query_of(i * 977, "q" + std::to_string(i));
    query.error = i % 10 == 0 ? 1 : 0;
    query.rows_sent = i;
    all.add(query);
    parts[i % 2].add(query);
  }
  Sums merged;
  merged.merge(parts[0]);
  merged.merge(parts[1]);
  EXPECT_EQ(merged.count, all.count);
  EXPECT_EQ(merged.errors, 100U);
  EXPECT_EQ(merged.total_ns, all.total_ns);
  EXPECT_EQ(merged.max_ns, all.max_ns);
  EXPECT_EQ(merged.durations, all.durations);
  EXPECT_EQ(merged.rows_sent, all.rows_sent);
  EXPECT_EQ(merged.slowest->text, "q1000");
}

TEST(Sums, SubtractingLeavesWhatCameSince) {
  Sums now, since;
  for (const uint64_t duration : {100U, 9000U, 200U}) now.add(query_of(duration, "old"));
  const Sums earlier = now;
  for (const uint64_t duration : {1000U, 3000U}) {
    now.add(query_of(duration, "new"));
    since.add(query_of(duration, "new"));
  }
  now.subtract(earlier);
  EXPECT_EQ(now.count, 2U);
  EXPECT_EQ(now.total_ns, 4000U);
  EXPECT_EQ(now.durations, since.durations);
  // 9000 was the greatest before; of the new ones only their bucket is known.
  EXPECT_GE(now.max_ns, 3000U);
  EXPECT_LE(now.max_ns, 3000U + 3000U / 32);
  EXPECT_FALSE(now.slowest);
}

TEST(Sums, ANewMaximumIsExactAfterSubtracting) {
  Sums now;
  now.add(query_of(100));
  const Sums earlier = now;
  now.add(query_of(123'457));
  now.subtract(earlier);
  EXPECT_EQ(now.max_ns, 123'457U);
  ASSERT_TRUE(now.slowest);
  EXPECT_EQ(now.slowest->duration_ns, 123'457U);
}

TEST(Sums, QuantilesNeverPassTheMaximum) {
  Sums sums;
  for (int i = 0; i < 10; ++i) sums.add(query_of(1'000'001));
  EXPECT_LE(sums.quantile_ns(0.99), 1'000'001U);
  EXPECT_GE(sums.quantile_ns(0.99), 970'000U);
  EXPECT_EQ(Sums().quantile_ns(0.5), 0U);
}

}  // namespace
}  // namespace dbtrace::model
