// A BPF program that walks all threads of the machine each time it is read. Only
// for files of the tracer's library.
#pragma once

#include <bpf/libbpf.h>

#include <cstddef>
#include <vector>

#include "src/attach/probes.h"
#include "symbols/result.h"

namespace dbtrace::attach {

class TaskIterator {
 public:
  TaskIterator() = default;
  // Errors say what the kernel or the user's rights lack.
  [[nodiscard]] static Result<TaskIterator> open(const bpf_program* program);
  // All that the program writes in one walk.
  [[nodiscard]] Result<std::vector<std::byte>> read() const;

 private:
  Link link_;
};

}  // namespace dbtrace::attach
