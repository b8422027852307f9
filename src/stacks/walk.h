// From one frame to that of its caller, and on to the thread's start.
#pragma once

#include "src/stacks/process_code.h"
#include "src/stacks/unwinder.h"

namespace dbtrace::stacks {

[[nodiscard]] Unwound walk(ProcessCode& code, const UserStack& stack);

}  // namespace dbtrace::stacks
