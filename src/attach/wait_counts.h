// Reads what the BPF programs have summed up of all commands' time. Only for files of
// the tracer's library.
#pragma once

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
  // Looks at all threads of the machine, and at some ten thousand counters.
  [[nodiscard]] Result<model::WaitSums> read() const;

 private:
  const query_bpf* bpf_ = nullptr;
  TaskIterator in_progress_;
};

}  // namespace dbtrace::attach
