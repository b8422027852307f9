#include "src/commands/replay/end_index.h"

#include <algorithm>

namespace dbtrace::commands {

void EndIndex::add(int64_t id, uint64_t start_ns, uint64_t end_ns) {
  if (in_last_ == kBlock) {
    blocks_.push_back({.ids = {id, id}});
    in_last_ = 0;
  }
  ++in_last_;
  Block& block = blocks_.back();
  block.ids.last = id;
  block.first_start_ns = std::min(block.first_start_ns, start_ns);
  block.first_end_ns = std::min(block.first_end_ns, end_ns);
  block.last_end_ns = std::max(block.last_end_ns, end_ns);
}

template <typename Wanted>
std::vector<recording::Ids> EndIndex::where(const Wanted& is_wanted) const {
  std::vector<recording::Ids> found;
  const Block* before = nullptr;
  for (const Block& block : blocks_) {
    if (!is_wanted(block)) continue;
    if (before && before + 1 == &block)
      found.back().last = block.ids.last;
    else
      found.push_back(block.ids);
    before = &block;
  }
  return found;
}

std::vector<recording::Ids> EndIndex::ended(uint64_t from_ns, uint64_t to_ns) const {
  return where([=](const Block& block) {
    return block.first_end_ns < to_ns && block.last_end_ns >= from_ns;
  });
}

std::vector<recording::Ids> EndIndex::spanning(uint64_t at_ns) const {
  return where([=](const Block& block) {
    return block.first_start_ns < at_ns && block.last_end_ns > at_ns;
  });
}

}  // namespace dbtrace::commands
