// What the queries of a recording spent their time with.
#pragma once

#include "src/commands/waits/waits.h"

namespace dbtrace::commands {

// Shows what was recorded second by second, by intervals of the recording's own time, and the
// whole. Returns the exit code.
[[nodiscard]] int show_recorded_waits(const WaitsOptions& options);

}  // namespace dbtrace::commands
