// What the BPF programs have to know of the system calls of this machine's processor.
#pragma once

#include <array>
#include <cstdint>

#include "bpf/budget_event.h"

namespace dbtrace::attach {

// DBT_CALL_* by the number of the call. Calls that are not in it block, if they do, for
// DBT_CAUSE_OTHER.
[[nodiscard]] std::array<uint16_t, DBT_SYSTEM_CALLS_MAX> system_calls();

}  // namespace dbtrace::attach
