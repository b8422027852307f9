#include "src/commands/replay/end_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dbtrace::commands {
namespace {

using recording::Ids;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int64_t kBlock = EndIndex::kBlock;

// Ten blocks of queries that take 5 and end at 10, 20, 30, …
EndIndex index_of() {
  EndIndex index;
  for (int64_t id = 1; id <= 10 * kBlock; ++id)
    index.add(id, static_cast<uint64_t>(id) * 10 - 5, static_cast<uint64_t>(id) * 10);
  return index;
}

TEST(EndIndex, FindsTheBlocksOfATime) {
  const EndIndex index = index_of();
  EXPECT_THAT(index.ended(0, 10), IsEmpty());
  EXPECT_THAT(index.ended(0, 11), ElementsAre(Ids{1, kBlock}));
  EXPECT_THAT(index.ended(kBlock * 10, kBlock * 10 + 10), ElementsAre(Ids{1, kBlock}));
  EXPECT_THAT(index.ended(kBlock * 10, kBlock * 10 + 11), ElementsAre(Ids{1, 2 * kBlock}));
  EXPECT_THAT(index.ended(0, UINT64_MAX), ElementsAre(Ids{1, 10 * kBlock}));
  EXPECT_THAT(index.ended(10 * kBlock * 10 + 1, UINT64_MAX), IsEmpty());
}

TEST(EndIndex, FindsWhatEndedLater) {
  EndIndex index = index_of();
  EXPECT_THAT(index.spanning(5), IsEmpty());
  EXPECT_THAT(index.spanning(8), ElementsAre(Ids{1, kBlock}));
  index.add(10 * kBlock + 1, 2, 1'000'000);
  EXPECT_THAT(index.spanning(8),
              ElementsAre(Ids{1, kBlock}, Ids{10 * kBlock + 1, 10 * kBlock + 1}));
  EXPECT_THAT(index.spanning(999'999), ElementsAre(Ids{10 * kBlock + 1, 10 * kBlock + 1}));
}

TEST(EndIndex, MissesNothingThatIsOutOfOrder) {
  EndIndex index;
  index.add(-7, 90, 100);
  index.add(3, 10, 20);
  EXPECT_THAT(index.ended(20, 21), ElementsAre(Ids{-7, 3}));
  EXPECT_THAT(index.ended(100, 101), ElementsAre(Ids{-7, 3}));
  EXPECT_THAT(index.spanning(95), ElementsAre(Ids{-7, 3}));
}

}  // namespace
}  // namespace dbtrace::commands
