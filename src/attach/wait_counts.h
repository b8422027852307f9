// Reads what the BPF programs have summed up of all commands' time. Only for files of
// the tracer's library.
#pragma once

#include <cstdint>
#include <functional>

#include "src/attach/running/task_iterator.h"
#include "src/model/wait_sums.h"
#include "symbols/result.h"

struct query_bpf;

namespace dbtrace::attach {

class WaitCounts {
 public:
  WaitCounts() = default;
  // Between open and load.
  static void prepare(query_bpf& bpf, bool wanted);
  // After load.
  [[nodiscard]] static Result<WaitCounts> open(const query_bpf& bpf);
  // What an event's number is called in a server, which the index of its plan tells.
  using EventNames = std::function<model::WaitEvent(uint32_t plan, uint32_t number)>;
  // Looks at all threads of the machine, and at some ten thousand counters.
  [[nodiscard]] Result<model::WaitSums> read(const EventNames& names) const;

 private:
  void add_events(const EventNames& names, model::WaitSums& sums) const;

  const query_bpf* bpf_ = nullptr;
  TaskIterator in_progress_;
};

}  // namespace dbtrace::attach
