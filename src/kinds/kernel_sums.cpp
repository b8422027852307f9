#include "src/kinds/kernel_sums.h"

namespace dbtrace::kinds {

void KernelSums::define(uint64_t key, const model::Query& query) {
  if (known_.contains(key)) return;
  const auto kinds = table_.kinds().of(query);
  known_.emplace(
      key, Known{.kinds = {kinds.begin(), kinds.end()}, .example = model::Example::of(query)});
}

void KernelSums::look(const Sums& sums) { take(sums, false); }

void KernelSums::finish(const Sums& sums) { take(sums, true); }

void KernelSums::take(const Sums& sums, bool last) {
  unknown_ = 0;
  for (const auto& [key, now] : sums) {
    const auto known = known_.find(key);
    if (known == known_.end()) unknown_ += now.count;
    if (known == known_.end() && !last) continue;
    model::Sums& before = before_[key];
    if (before.count == now.count) continue;
    model::Sums since = now;
    since.subtract(before);
    if (known == known_.end()) {
      const uint32_t kind = table_.kinds().named("(unknown)");
      table_.add({&kind, 1}, since);
    } else {
      if (before.count == 0) since.slowest = known->second.example;
      table_.add(known->second.kinds, since);
    }
    before = now;
  }
}

}  // namespace dbtrace::kinds
