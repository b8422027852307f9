// What this machine and this user must have before anything is attached.
#pragma once

#include "symbols/result.h"

namespace dbtrace::attach {

// Errors name the first thing missing (a capability, kernel BTF, a kernel
// feature) and what to do about it.
[[nodiscard]] Result<void> preflight();

// A sentence for a failed bpf() or perf_event_open() call, with the likeliest
// reason on this machine as the hint.
[[nodiscard]] Error explain_failure(const std::string& what, int error_number);

}  // namespace dbtrace::attach
