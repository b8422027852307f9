#include "src/output/perfetto/lane.h"

#include <algorithm>

namespace dbtrace::output::perfetto {

bool Lane::take(uint64_t begin_ns, uint64_t end_ns, bool is_command) {
  size_t before = outer_.size();
  // Of two that begin at once the first to be written would be the outer one: they do not fit.
  if (before > 0 && outer_.back().end_ns <= end_ns)
    before = static_cast<size_t>(std::ranges::upper_bound(outer_, begin_ns, {}, &Slice::begin_ns) -
                                 outer_.begin());
  const uint64_t free_from_ns = before > 0 ? outer_[before - 1].end_ns : taken_until_ns_;
  if (begin_ns < free_from_ns) return false;
  if (is_command) {
    taken_until_ns_ = free_from_ns;
    before = 0;
  }
  outer_.resize(before);
  outer_.push_back({begin_ns, end_ns});
  return true;
}

size_t Lanes::take(uint64_t begin_ns, uint64_t end_ns, bool is_command) {
  for (size_t lane = 0; lane < kSearched; ++lane) {
    if (lane == searched_.size()) searched_.emplace_back();
    if (searched_[lane].take(begin_ns, end_ns, is_command)) return lane;
  }
  size_t lane = size();
  if (!rest_.empty() && rest_.top().first <= begin_ns) {
    lane = rest_.top().second;
    rest_.pop();
  }
  rest_.emplace(end_ns, lane);
  return lane;
}

}  // namespace dbtrace::output::perfetto
