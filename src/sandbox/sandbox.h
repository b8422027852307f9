// When the probes are there, dbtrace gives up what it does not need any more: whoever takes it over
// by what it reads then can do no more than it can.
#pragma once

#include "src/sandbox/needs.h"
#include "symbols/result.h"

namespace dbtrace::sandbox {

// For good. Threads that run already keep their capabilities (keep_capabilities() in each), but
// not their system calls. DBTRACE_SANDBOX in the environment changes it: "off" gives up nothing,
// for debuggers and sanitizers inside the process; "strict" has a system call that is refused
// end the process, so that tests find it. Errors are worth a word to the user; what could be
// given up is given up all the same.
[[nodiscard]] Result<void> enter(const Needs& needs);

}  // namespace dbtrace::sandbox
