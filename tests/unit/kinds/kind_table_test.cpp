#include "src/kinds/kind_table.h"

#include <gtest/gtest.h>

#include "src/kinds/kernel_sums.h"
#include "tests/unit/kinds/queries.h"

namespace dbtrace::kinds {
namespace {

using model::Query;
using model::Sums;

const std::string kOne = "select a from t", kTwo = "select b from u";

uint32_t kind_of(KindTable& table, const std::string& text) {
  return table.kinds().of(query_of(text))[0];
}

TEST(KindTable, CountsByKindAndInterval) {
  KindTable table({});
  table.add(query_of(kOne, 100));
  table.add(query_of(kOne, 300));
  table.add(query_of(kTwo, 50));
  const uint32_t one = kind_of(table, kOne), two = kind_of(table, kTwo);
  EXPECT_EQ(table.interval(one).count, 2U);
  EXPECT_EQ(table.interval(one).total_ns, 400U);
  EXPECT_EQ(table.interval(two).count, 1U);
  EXPECT_EQ(table.total(one).count, 0U);
  EXPECT_EQ(table.interval_of_all().count, 3U);

  table.end_interval();
  EXPECT_EQ(table.interval(one).count, 0U);
  EXPECT_EQ(table.total(one).count, 2U);
  table.add(query_of(kOne, 1000));
  EXPECT_EQ(table.interval(one).max_ns, 1000U);
  table.end_interval();
  EXPECT_EQ(table.total(one).count, 3U);
  EXPECT_EQ(table.total(one).total_ns, 1400U);
  EXPECT_EQ(table.total_of_all().count, 4U);
}

TEST(KindTable, AQueryOfSeveralTablesCountsOnceForAll) {
  KindTable table({.by = By::Table});
  table.add(query_of("select * from t join u"));
  EXPECT_EQ(table.interval(1).count, 1U);
  EXPECT_EQ(table.interval(2).count, 1U);
  EXPECT_EQ(table.interval_of_all().count, 1U);
}

TEST(KindTable, WhatIsBeyondTheLimitIsCountedAsOther) {
  KindTable table({.max_kinds = 2});
  for (int i = 0; i < 10; ++i) table.add(query_of("select a from t" + std::to_string(i)));
  EXPECT_EQ(table.interval(Kinds::kOther).count, 8U);
  EXPECT_EQ(table.interval_of_all().count, 10U);
}

class FromKernel : public ::testing::Test {
 protected:
  // What the kernel has of so many queries of 1 µs each.
  static Sums sums(uint64_t count) {
    Sums sums;
    sums.count = count;
    sums.total_ns = count * 1000;
    sums.max_ns = count ? 1000 : 0;
    sums.durations.add(1000, count);
    return sums;
  }
  void example(uint64_t key, const std::string& text, uint64_t duration_ns = 1000) {
    Query query = query_of(text, duration_ns);
    query.kind = key;
    kernel_.example(query);
  }
  uint64_t counted(const std::string& text) { return table_.interval(kind_of(table_, text)).count; }

  KindTable table_{KindOptions{}};
  KernelSums kernel_{table_};
};

TEST_F(FromKernel, KeysOfOneKindAddUp) {
  example(1, kOne);
  example(2, kTwo);
  example(3, kOne + " -- x");
  kernel_.look({{1, sums(10)}, {2, sums(20)}, {3, sums(30)}});
  EXPECT_EQ(counted(kOne), 40U);
  EXPECT_EQ(counted(kTwo), 20U);
  EXPECT_EQ(table_.interval_of_all().count, 60U);
  EXPECT_TRUE(table_.interval(kind_of(table_, kOne)).slowest->text.starts_with(kOne));
}

TEST_F(FromKernel, ALookAddsWhatIsNew) {
  example(1, kOne);
  kernel_.look({{1, sums(10)}});
  table_.end_interval();
  kernel_.look({{1, sums(10)}});
  EXPECT_EQ(counted(kOne), 0U);
  kernel_.look({{1, sums(25)}});
  EXPECT_EQ(counted(kOne), 15U);
  EXPECT_EQ(table_.interval(kind_of(table_, kOne)).durations.count(), 15U);
  table_.end_interval();
  EXPECT_EQ(table_.total(kind_of(table_, kOne)).count, 25U);
  EXPECT_EQ(table_.total(kind_of(table_, kOne)).total_ns, 25'000U);
}

TEST_F(FromKernel, KeysWaitForTheirQuery) {
  kernel_.look({{1, sums(10)}});
  EXPECT_EQ(table_.interval_of_all().count, 0U);
  EXPECT_EQ(kernel_.unknown(), 10U);
  example(1, kOne);
  kernel_.look({{1, sums(12)}});
  EXPECT_EQ(counted(kOne), 12U);
  EXPECT_EQ(kernel_.unknown(), 0U);
}

TEST_F(FromKernel, WhatNobodyToldOfIsUnknownAtTheEnd) {
  example(1, kOne);
  kernel_.finish({{1, sums(10)}, {2, sums(5)}});
  EXPECT_EQ(counted(kOne), 10U);
  EXPECT_EQ(table_.interval(table_.kinds().named("(unknown)")).count, 5U);
  EXPECT_EQ(table_.interval_of_all().count, 15U);
}

TEST_F(FromKernel, TheSlowestExampleIsKept) {
  example(1, kOne + " # first", 10);
  example(1, kOne + " # second", 100);
  kernel_.look({{1, sums(10)}});
  table_.end_interval();
  example(1, kOne + " # third", 50);
  kernel_.look({{1, sums(20)}});
  table_.end_interval();
  EXPECT_EQ(table_.total(kind_of(table_, kOne)).slowest->text, kOne + " # second");
}

TEST_F(FromKernel, AKeyMayComeFromSeveralKernels) {
  example(1, kOne);
  kernel_.look({{1, sums(10)}, {1, sums(5)}});
  EXPECT_EQ(counted(kOne), 15U);
}

}  // namespace
}  // namespace dbtrace::kinds
