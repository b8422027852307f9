#include "src/output/perfetto/lane.h"

namespace dbtrace::output::perfetto {

bool Lane::take(uint64_t begin_ns, uint64_t end_ns, bool is_command) {
  size_t before = outer_.size();
  // Of two that begin at once the first to be written would be the outer one: they do not fit.
  while (before > 0 && outer_[before - 1].begin_ns > begin_ns &&
         outer_[before - 1].end_ns <= end_ns)
    --before;
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

}  // namespace dbtrace::output::perfetto
