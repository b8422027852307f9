// What queries say that they waited for, added up.
#pragma once

#include <cstddef>

#include "src/model/budget.h"
#include "src/model/wait_sums.h"

namespace dbtrace::model {

// Events beyond `most` are one, "(others)".
inline void add_waits(const NamedWaits& waits, size_t most, WaitSums& sums) {
  for (const NamedWait& wait : waits.waits) {
    const bool is_known = sums.events.contains(wait.event) || sums.events.size() < most;
    EventSums& own = sums.events[is_known ? wait.event : WaitEvent{"", "(others)"}];
    own.ns += wait.ns;
    own.waits += wait.waits;
  }
}

}  // namespace dbtrace::model
