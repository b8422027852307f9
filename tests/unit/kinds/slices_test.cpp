#include "src/kinds/slices.h"

#include <gtest/gtest.h>

#include "tests/unit/kinds/queries.h"

namespace dbtrace::kinds {
namespace {

const std::string kOne = "select a from t", kTwo = "select b from u";

uint64_t count_of(const Slice& slice) {
  uint64_t count = 0;
  for (const SliceCount& each : slice) count += each.count;
  return count;
}

std::vector<uint64_t> counts_of(const std::vector<Slice>& slices) {
  std::vector<uint64_t> counts;
  for (const Slice& slice : slices) counts.push_back(count_of(slice));
  return counts;
}

class SlicesTest : public ::testing::Test {
 protected:
  void add(const std::string& text, uint64_t ns, size_t times) {
    for (size_t i = 0; i < times; ++i) table_.add(query_of(text, ns));
  }
  uint32_t kind_of(const std::string& text) { return table_.kinds().of(query_of(text))[0]; }

  KindTable table_{KindOptions{}};
  Slices slices_;
};

TEST_F(SlicesTest, JoinBucketsButLoseNothing) {
  model::Histogram histogram;
  for (uint64_t ns = 1; ns < 100'000; ns += 7) histogram.add(ns);
  const Slice slice = slice_of(histogram);
  EXPECT_EQ(count_of(slice), histogram.count());
  for (size_t i = 1; i < slice.size(); ++i) EXPECT_LT(slice[i - 1].bucket, slice[i].bucket);
  EXPECT_LT(slice.size(), histogram.counts().size() / 3);
}

TEST_F(SlicesTest, AreWhatCameInEachStretch) {
  add(kOne, 1000, 5);
  slices_.end_stretch(table_);
  add(kOne, 1000, 2);
  add(kOne, 50'000, 1);
  add(kTwo, 10, 4);
  slices_.end_stretch(table_);
  slices_.end_stretch(table_);  // nothing came
  table_.end_interval();        // makes no difference
  add(kOne, 50'000, 7);
  slices_.end_stretch(table_);
  EXPECT_EQ(counts_of(slices_.of(kind_of(kOne))), (std::vector<uint64_t>{5, 3, 7}));
  EXPECT_EQ(counts_of(slices_.of(kind_of(kTwo))), (std::vector<uint64_t>{4}));
  const Slice last = slices_.of(kind_of(kOne)).back();
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(last[0].bucket, model::Histogram::bucket_of(50'000) / kSliceWidth);
  EXPECT_TRUE(slices_.of(999).empty());
}

TEST_F(SlicesTest, AreJoinedWhenThereAreMany) {
  size_t joins = 0;
  for (size_t i = 0; i < 1000; ++i) {
    add(kOne, 1000, 3);
    if (i == 500) add(kTwo, 1000, 1);
    joins += slices_.end_stretch(table_);
  }
  const std::vector<Slice> slices = slices_.of(kind_of(kOne));
  EXPECT_GT(joins, 10U);
  EXPECT_GE(slices.size(), Slices::kMost / 2);
  EXPECT_LE(slices.size(), Slices::kMost);
  uint64_t all = 0;
  for (const Slice& slice : slices) all += count_of(slice);
  EXPECT_EQ(all, 3000U);
  EXPECT_EQ(counts_of(slices_.of(kind_of(kTwo))), (std::vector<uint64_t>{1}));
}

}  // namespace
}  // namespace dbtrace::kinds
