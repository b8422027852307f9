#include "src/report/collector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/report/samples.h"

namespace dbtrace::report {
namespace {

using ::testing::SizeIs;

TEST(Timeline, HasAtMostSoManyBucketsOfRoundWidths) {
  EXPECT_EQ(Timeline::of(kBegin, kBegin + 600 * kSecond_ns).width_ns, 5 * kSecond_ns);
  EXPECT_EQ(Timeline::of(kBegin, kBegin + 600 * kSecond_ns).buckets, 120U);
  EXPECT_EQ(Timeline::of(kBegin, kBegin).buckets, 1U);
  EXPECT_EQ(Timeline::of(kBegin, kBegin - 1).buckets, 1U);
  for (uint64_t length = 1; length < UINT64_MAX / 8; length *= 3)
    EXPECT_LE(Timeline::of(0, length).buckets, Timeline::kMost) << length;
}

TEST(Timeline, TheLastBucketNeverEnds) {
  const Timeline timeline = Timeline::of(kBegin, kBegin + 12 * kSecond_ns);
  EXPECT_EQ(timeline.end_of(0), kBegin + kSecond_ns / 10);
  EXPECT_EQ(timeline.end_of(timeline.buckets - 1), UINT64_MAX);
}

TEST(Collector, CellsAddUpToTheTotals) {
  const Collector all = shop(20'000);
  uint64_t count = 0, total_ns = 0, in_durations = 0, errors = 0;
  for (const Bucket& bucket : all.buckets())
    for (const Cell& cell : bucket.cells) {
      count += cell.count;
      total_ns += cell.total_ns;
      errors += cell.errors;
      for (const kinds::SliceCount& each : cell.durations) in_durations += each.count;
    }
  EXPECT_EQ(count, 20'000U);
  EXPECT_EQ(all.all().count, count);
  EXPECT_EQ(all.all().total_ns, total_ns);
  EXPECT_EQ(all.all().errors, errors);
  EXPECT_EQ(in_durations, count);
  EXPECT_EQ(all.ranked().size(), 6U);
}

TEST(Collector, AQueryCountsWhereItEnds) {
  Collector all = collector(12);
  take(all, query_of("select 1", kBegin, 150'000'000));
  take(all, query_of("select 2", kBegin + 11 * kSecond_ns, 10));
  finish(all);
  ASSERT_THAT(all.buckets(), SizeIs(120));
  EXPECT_THAT(all.buckets()[0].cells, SizeIs(0));
  EXPECT_THAT(all.buckets()[1].cells, SizeIs(1));
  EXPECT_THAT(all.buckets()[110].cells, SizeIs(1));
}

TEST(Collector, ExamplesCountThroughTheirSums) {
  Collector all = collector(10);
  model::Query example = query_of("select ?", kBegin, 5000);
  example.is_fingerprint = true;
  example.kind = 3;
  all.example(example);
  take(all, example);
  model::Sums sums;
  for (int i = 0; i < 40; ++i) sums.add(query_of("select 1", kBegin, 1000));
  all.add({{3, sums}});
  finish(all);
  EXPECT_EQ(all.all().count, 40U);
  ASSERT_THAT(all.ranked(), SizeIs(1));
  EXPECT_EQ(all.kinds()[all.ranked()[0].kind].text, "select ?");
  EXPECT_THAT(all.slow().of_all(9), SizeIs(1)) << "but it is an example of what is slow";
}

TEST(Collector, KnowsWhoKeptWhomWaiting) {
  Collector all = collector(10);
  model::Query query = query_of("update t set a = 1", kBegin, 5000);
  model::Blocker& blocker = query.blocker.emplace();
  blocker.waited_ns = 700;
  blocker.cause = model::Cause::RowLock;
  blocker.query = "update t set a = 2";
  blocker.query_length = blocker.query->size();
  take(all, query);
  blocker.waited_ns = 300;
  take(all, query);
  blocker.idle = true;
  take(all, query);
  finish(all);
  const auto heaviest = all.blocks().heaviest_first();
  ASSERT_THAT(heaviest, SizeIs(2));
  EXPECT_EQ(heaviest[0].first->blocker.kind, heaviest[0].first->blocked.kind) << "of one kind";
  EXPECT_EQ(heaviest[0].second->ns, 1000U);
  EXPECT_EQ(heaviest[0].second->count, 2U);
  EXPECT_EQ(heaviest[0].second->max_ns, 700U);
  EXPECT_TRUE(heaviest[1].first->blocker.idle);
}

TEST(SlowQueries, KeepsTheSlowestOfEachKindAndBucketOnce) {
  SlowQueries slow;
  for (uint64_t i = 0; i < 100; ++i)
    slow.add(query_of("q", kBegin + i, i), static_cast<uint32_t>(i % 2),
             static_cast<uint32_t>(i / 50));
  const auto durations = [](const std::vector<SlowQuery>& queries) {
    std::vector<uint64_t> all;
    for (const SlowQuery& each : queries) all.push_back(each.query->duration_ns);
    return all;
  };
  EXPECT_THAT(durations(slow.of_all(4)), ::testing::ElementsAre(99, 98, 97, 96));
  // Of kind 1 five, and of each bucket three, two of which are of kind 1.
  EXPECT_THAT(durations(slow.of({false, true})),
              ::testing::ElementsAre(99, 98, 97, 95, 93, 91, 49, 48, 47));
}

}  // namespace
}  // namespace dbtrace::report
