// The single operations of a recording in the place of those that come live.
#pragma once

#include "src/commands/io/io.h"

namespace dbtrace::commands {

// Shows them by the same view; intervals go by the recording's own time, and those in which nothing
// was done are left out. Returns the exit code.
[[nodiscard]] int show_recorded_io(const IoOptions& options);

}  // namespace dbtrace::commands
