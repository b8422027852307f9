// The stacks of a recording in the place of those that come live.
#pragma once

#include "src/commands/stacks/stacks.h"

namespace dbtrace::commands {

// Of options.from. Returns the exit code.
[[nodiscard]] int show_recorded_stacks(const StacksOptions& options);

}  // namespace dbtrace::commands
