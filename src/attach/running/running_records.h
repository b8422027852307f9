// From the bytes that bpf/running.bpf.h writes to command events. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bpf/event.h"

namespace dbtrace::attach {

// Hands each record to `handler` as an event of a command that still runs, its
// duration counted up to `now_ns` (CLOCK_MONOTONIC). Records that changed while
// they were copied are left out: their command has just ended.
void each_running(std::span<const std::byte> bytes, uint64_t now_ns,
                  const std::function<void(std::span<const std::byte>)>& handler);

// The event of a record, or nothing when it is not (any more) one of a command
// that runs. `record` is as long as its texts, or longer.
[[nodiscard]] std::vector<std::byte> running_event(std::span<const std::byte> record,
                                                   uint64_t now_ns);

}  // namespace dbtrace::attach
