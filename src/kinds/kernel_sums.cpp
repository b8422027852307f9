#include "src/kinds/kernel_sums.h"

#include <utility>

namespace dbtrace::kinds {

void KernelSums::example(const model::Query& query) {
  const auto [found, is_new] = known_.try_emplace(query.kind);
  Known& known = found->second;
  if (is_new) {
    const auto kinds = table_.kinds().of(query);
    known.kinds.assign(kinds.begin(), kinds.end());
  }
  if (!known.example || query.duration_ns > known.example->duration_ns)
    known.example = model::Example::of(query);
}

void KernelSums::look(const Sums& sums) { take(sums, false); }

void KernelSums::finish(const Sums& sums) { take(sums, true); }

void KernelSums::take(const Sums& sums, bool last) {
  std::unordered_map<uint64_t, model::Sums> by_key;
  for (const auto& [key, part] : sums) by_key[key].merge(part);
  unknown_ = 0;
  for (const auto& [key, now] : by_key) {
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
      since.slowest = std::exchange(known->second.example, std::nullopt);
      table_.add(known->second.kinds, since);
    }
    before = now;
  }
}

}  // namespace dbtrace::kinds
