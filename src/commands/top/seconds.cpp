#include "src/commands/top/seconds.h"

#include <algorithm>

namespace dbtrace::commands::top {

void Seconds::add(uint64_t second, std::span<const uint32_t> kinds, const History::Part& part) {
  if (!latest_ || latest_->first != second) latest_ = &*seconds_.try_emplace(second).first;
  Cells& cells = latest_->second;
  for (const uint32_t kind : kinds) {
    auto cell = std::ranges::lower_bound(cells, kind, {}, &Cell::kind);
    if (cell == cells.end() || cell->kind != kind) cell = cells.insert(cell, {kind, {}});
    cell->part.queries += part.queries;
    cell->part.ns += part.ns;
  }
}

std::vector<History> Seconds::minute_before(uint64_t end, size_t kinds) const {
  std::vector<History> histories(kinds);
  const uint64_t begin = end - std::min<uint64_t>(end, History::kSeconds);
  for (auto at = seconds_.lower_bound(begin); at != seconds_.end() && at->first < end; ++at)
    for (const Cell& cell : at->second)
      if (cell.kind < kinds) histories[cell.kind].add(at->first, cell.part);
  return histories;
}

}  // namespace dbtrace::commands::top
