// What all queries together spend, from one look at the kernel's sums to the next.
#pragma once

#include <cstdint>

#include "src/commands/tracing/attachments.h"
#include "src/commands/wall_clock.h"
#include "src/model/wait_sums.h"
#include "symbols/result.h"

namespace dbtrace::commands {

// Not thread-safe. Needs TracerOptions::waits.
class SpendingWatch {
 public:
  // Since the last time, or since the watch was made.
  [[nodiscard]] Result<model::Spending> since_last(const Attachments& attachments);
  // Since the watch was made.
  [[nodiscard]] Result<model::Spending> since_begin(const Attachments& attachments);

 private:
  struct State {
    uint64_t time_ns = 0;  // CLOCK_MONOTONIC
    uint64_t queries = 0;
    model::WaitSums sums;
  };
  [[nodiscard]] static Result<State> look(const Attachments& attachments);

  State begin_{.time_ns = nanoseconds_of(CLOCK_MONOTONIC), .queries = 0, .sums = {}};
  State last_ = begin_;
};

}  // namespace dbtrace::commands
