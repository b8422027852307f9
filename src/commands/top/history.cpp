#include "src/commands/top/history.h"

#include <algorithm>

namespace dbtrace::commands::top {

void History::add(uint64_t second, const Part& part) {
  Slot& slot = slots_[second % kSlots];
  if (slot.second != static_cast<uint32_t>(second)) slot = {static_cast<uint32_t>(second), 0, 0};
  slot.queries += static_cast<uint32_t>(part.queries);
  slot.ns += part.ns;
}

std::vector<History::Part> History::parts(uint64_t end, size_t parts) const {
  std::vector<Part> result(parts);
  const uint64_t first = end - std::min<uint64_t>(end, kSeconds);
  for (uint64_t second = first; second < end; ++second) {
    const Slot& slot = slots_[second % kSlots];
    if (slot.second != static_cast<uint32_t>(second)) continue;
    Part& part = result[(second + kSeconds - end) * parts / kSeconds];
    part.queries += slot.queries;
    part.ns += slot.ns;
  }
  return result;
}

bool History::is_empty(uint64_t end) const { return parts(end, 1).front().queries == 0; }

}  // namespace dbtrace::commands::top
