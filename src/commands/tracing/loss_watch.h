// Notices while a run goes on that something was lost: what is shown has a gap there, which nobody
// would see.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "src/commands/pace.h"
#include "src/commands/tracing/attachments.h"
#include "src/commands/tracing/summary.h"
#include "src/commands/wall_clock.h"
#include "src/output/lost.h"
#include "symbols/result.h"

namespace dbtrace::commands {

// Not thread-safe.
class LossWatch {
 public:
  using Loss = std::optional<output::Lost>;

  // Several times a second: what was lost, once a second.
  [[nodiscard]] Result<Loss> tick(const Attachments& attachments);
  // What was lost since the last look.
  [[nodiscard]] Result<Loss> look(const Attachments& attachments);

 private:
  Pace pace_ = Pace::after_each(std::chrono::seconds(1));
  uint64_t since_ns_ = nanoseconds_of(CLOCK_REALTIME);  // of the last look, …
  Tally before_;                                        // …and what was lost up to then
};

// A line for a person.
[[nodiscard]] std::string text_of(const output::Lost& lost);

}  // namespace dbtrace::commands
