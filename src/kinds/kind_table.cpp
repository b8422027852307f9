#include "src/kinds/kind_table.h"

namespace dbtrace::kinds {

using model::Sums;

const Sums& KindTable::at(const std::vector<Sums>& sums, uint32_t kind) {
  static const Sums kNothing;
  return kind < sums.size() ? sums[kind] : kNothing;
}

void KindTable::add(const model::Query& query) {
  const std::span<const uint32_t> kinds = kinds_.of(query);
  if (interval_.size() < kinds_.size()) interval_.resize(kinds_.size());
  for (const uint32_t kind : kinds) interval_[kind].add(query);
  interval_of_all_.add(query);
}

void KindTable::add(std::span<const uint32_t> kinds, const Sums& sums) {
  if (interval_.size() < kinds_.size()) interval_.resize(kinds_.size());
  for (const uint32_t kind : kinds) interval_[kind].merge(sums);
  interval_of_all_.merge(sums);
}

void KindTable::end_interval() {
  if (total_.size() < interval_.size()) total_.resize(interval_.size());
  for (size_t kind = 0; kind < interval_.size(); ++kind)
    if (interval_[kind].count) total_[kind].merge(interval_[kind]);
  total_of_all_.merge(interval_of_all_);
  drop_interval();
}

void KindTable::drop_interval() {
  for (Sums& sums : interval_)
    if (sums.count) sums = Sums();
  interval_of_all_ = Sums();
}

}  // namespace dbtrace::kinds
