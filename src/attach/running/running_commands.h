// What runs at this moment, from the records of commands that have begun. Only
// for files of the tracer's library.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bpf/event.h"
#include "src/attach/event_ring.h"
#include "src/attach/running/earlier_commands.h"
#include "src/attach/running/task_iterator.h"
#include "symbols/result.h"

struct query_bpf;

namespace dbtrace::attach {

class RunningCommands {
 public:
  // Before loading: what is loaded is only what will be used, and commands are
  // told of from an age of `least_ns` on. `adopt`: find_earlier() has the threads of those that
  // began before watched from then on, as if they had begun then.
  static void prepare(query_bpf& bpf, bool wanted, uint64_t least_ns, bool adopt);
  // After loading. `bpf` must outlive it.
  [[nodiscard]] static Result<RunningCommands> open(query_bpf& bpf);

  RunningCommands() = default;
  // Once, when commands have begun to be recorded: finds those that began before. The
  // elements of `binaries` must outlive it.
  [[nodiscard]] Result<void> find_earlier(const std::vector<TracedBinary>& binaries,
                                          uint32_t max_text);
  [[nodiscard]] Result<void> tell(const EventHandler& handler);

 private:
  [[nodiscard]] Result<void> adopt() const;
  void tell_parked(uint64_t now_ns, const EventHandler& handler) const;

  query_bpf* bpf_ = nullptr;
  std::span<const TracedBinary> binaries_;
  TaskIterator commands_;
  TaskIterator threads_;
  EarlierCommands earlier_;
};

}  // namespace dbtrace::attach
