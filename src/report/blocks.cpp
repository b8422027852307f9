#include "src/report/blocks.h"

#include <algorithm>
#include <functional>

namespace dbtrace::report {

void BlockSums::add(const BlockSums& other) {
  count += other.count;
  ns += other.ns;
  max_ns = std::max(max_ns, other.max_ns);
}

void Blocks::add(const Block& block, const BlockSums& sums) {
  if (const auto known = sums_.find(block); known != sums_.end())
    known->second.add(sums);
  else if (sums_.size() < kMost)
    sums_.emplace(block, sums);
  else
    rest_.add(sums);
}

void Blocks::merge(const Blocks& other) {
  for (const auto& [block, sums] : other.sums_) add(block, sums);
  rest_.add(other.rest_);
}

std::vector<std::pair<const Block*, const BlockSums*>> Blocks::heaviest_first() const {
  std::vector<std::pair<const Block*, const BlockSums*>> sorted;
  for (const auto& [block, sums] : sums_) sorted.emplace_back(&block, &sums);
  std::ranges::stable_sort(sorted, std::greater(),
                           [](const auto& entry) { return entry.second->ns; });
  return sorted;
}

}  // namespace dbtrace::report
