// A list of system calls as a seccomp filter.
#pragma once

#include <vector>

#include "src/sandbox/calls.h"
#include "symbols/result.h"

namespace dbtrace::sandbox {

// What becomes of a call that is not allowed.
enum class Refusal {
  Error,  // it fails with EPERM
  Kill,   // the process ends by SIGSYS, and the kernel's log has the call's number
};

// For all threads of the process, for good. Sets no_new_privs. Errors say what the kernel lacks.
[[nodiscard]] Result<void> filter_calls(const std::vector<AllowedCall>& allowed, Refusal refusal);

}  // namespace dbtrace::sandbox
