// What a server shows that its processes wait for (profiles::WaitEvents), read from outside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bpf/event.h"
#include "src/attach/event_ring.h"
#include "src/attach/plan.h"

namespace dbtrace::attach {

struct TracedBinary;

// The wait event of a process at this moment; 0: none, or the server does not show it. `image`:
// how far the server's image lies from where it was linked to, its commands' `session`.
[[nodiscard]] uint32_t shown_wait(const Plan& plan, uint32_t pid, uint64_t image);

// Hands an event to `handler`, and before that of a running command a dbt_named_waits_event with
// what it waits for now, if anything.
void tell_with_wait(std::span<const TracedBinary> binaries, std::span<const std::byte> event,
                    const EventHandler& handler);

}  // namespace dbtrace::attach
