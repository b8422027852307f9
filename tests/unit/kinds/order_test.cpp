#include "src/kinds/order.h"

#include <gtest/gtest.h>

namespace dbtrace::kinds {
namespace {

using model::Sums;

Sums sums_of(uint64_t count, uint64_t each_ns, uint64_t errors = 0, uint64_t io_ns = 0) {
  Sums sums;
  sums.count = count;
  sums.errors = errors;
  sums.total_ns = count * each_ns;
  sums.max_ns = each_ns;
  sums.durations.add(each_ns, count);
  sums.io[0].ns = io_ns;
  return sums;
}

std::vector<uint32_t> order(const std::vector<Sums>& all, SortKey key) {
  std::vector<Ranked> ranked;
  for (uint32_t kind = 0; kind < all.size(); ++kind) ranked.push_back({kind, &all[kind]});
  sort(ranked, key);
  std::vector<uint32_t> kinds;
  for (const Ranked& each : ranked) kinds.push_back(each.kind);
  return kinds;
}

TEST(Order, ByEachKeyWithOtherLast) {
  const std::vector<Sums> all = {
      sums_of(1000, 1'000'000, 1000, 1000),  // other
      sums_of(100, 10, 5, 1),
      sums_of(10, 50'000, 0, 7),
      sums_of(50, 2000, 9, 3),
  };
  using Kinds = std::vector<uint32_t>;
  EXPECT_EQ(order(all, SortKey::Total), (Kinds{2, 3, 1, 0}));
  EXPECT_EQ(order(all, SortKey::Count), (Kinds{1, 3, 2, 0}));
  EXPECT_EQ(order(all, SortKey::Mean), (Kinds{2, 3, 1, 0}));
  EXPECT_EQ(order(all, SortKey::P99), (Kinds{2, 3, 1, 0}));
  EXPECT_EQ(order(all, SortKey::Max), (Kinds{2, 3, 1, 0}));
  EXPECT_EQ(order(all, SortKey::Io), (Kinds{2, 3, 1, 0}));
  EXPECT_EQ(order(all, SortKey::Errors), (Kinds{3, 1, 2, 0}));
}

TEST(Order, EqualOnesByTotalAndThenAsTheyCame) {
  const std::vector<Sums> all = {Sums(), sums_of(1, 5), sums_of(1, 5), sums_of(1, 9)};
  EXPECT_EQ(order(all, SortKey::Errors), (std::vector<uint32_t>{3, 1, 2, 0}));
}

}  // namespace
}  // namespace dbtrace::kinds
