// Says while a run goes on that something was lost: what is shown has a gap there, which nobody
// would see.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "src/commands/pace.h"
#include "src/commands/tracing/attachments.h"
#include "src/commands/wall_clock.h"
#include "symbols/result.h"

namespace dbtrace::commands {

// Not thread-safe.
class LossWatch {
 public:
  // Several times a second. A line when it is time for one, else "".
  [[nodiscard]] Result<std::string> tick(const Attachments& attachments);

 private:
  Pace pace_ = Pace::after_each(std::chrono::seconds(1));
  std::string since_ = local_time();  // of the last look, …
  uint64_t before_ = 0;               // …and what was lost up to then
};

}  // namespace dbtrace::commands
