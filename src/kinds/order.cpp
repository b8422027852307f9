#include "src/kinds/order.h"

#include <algorithm>
#include <tuple>

namespace dbtrace::kinds {

uint64_t value_of(SortKey key, const model::Sums& sums) {
  switch (key) {
    case SortKey::Total:
      return sums.total_ns;
    case SortKey::Count:
      return sums.count;
    case SortKey::Mean:
      return sums.mean_ns();
    case SortKey::P99:
      return sums.quantile_ns(0.99);
    case SortKey::Max:
      return sums.max_ns;
    case SortKey::Io:
      return sums.io_ns();
    case SortKey::Errors:
      return sums.errors;
  }
  return 0;
}

void sort(std::vector<Ranked>& kinds, SortKey key) {
  struct Keyed {
    bool named;
    uint64_t value;
    uint64_t total;
    Ranked ranked;
  };
  std::vector<Keyed> keyed;
  keyed.reserve(kinds.size());
  for (const Ranked& each : kinds)
    keyed.push_back(
        {each.kind != Kinds::kOther, value_of(key, *each.sums), each.sums->total_ns, each});
  std::ranges::sort(keyed, [](const Keyed& a, const Keyed& b) {
    return std::tuple(a.named, a.value, a.total, b.ranked.kind) >
           std::tuple(b.named, b.value, b.total, a.ranked.kind);
  });
  std::ranges::transform(keyed, kinds.begin(), &Keyed::ranked);
}

}  // namespace dbtrace::kinds
