// Stacks of threads in slow commands (bpf/stacks.bpf.h): the timers, the waits, and the
// ring that they come over. Only for files of the tracer's library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "bpf/stack_event.h"
#include "src/attach/event_ring.h"
#include "src/attach/running/task_iterator.h"
#include "src/attach/stack_options.h"
#include "symbols/result.h"

struct query_bpf;

namespace dbtrace::attach {

class StackCapture {
 public:
  // Between open and load.
  static void prepare(query_bpf& bpf, const std::optional<StackOptions>& options);
  // After loading. `bpf` must outlive it.
  [[nodiscard]] static Result<StackCapture> open(const query_bpf& bpf);

  StackCapture() = default;
  // Starts a timer on each core that is in use.
  [[nodiscard]] static Result<std::vector<Link>> attach_timers(const query_bpf& bpf,
                                                               uint32_t frequency);
  // Hands on what waits: dbt_stack_events and dbt_wait_events.
  [[nodiscard]] bool drain(const EventHandler& handler);
  // Hands on the stacks of threads that have waited for some time, as dbt_stack_events whose
  // time_ns is when the memory had been read: one of a wait that ended before is not of
  // that wait.
  [[nodiscard]] Result<void> look(const EventHandler& handler);

 private:
  EventRing ring_;
  TaskIterator waits_;
  std::vector<std::byte> buffer_;
};

}  // namespace dbtrace::attach
