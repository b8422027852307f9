// How often BPF programs run and how long that takes, as the kernel counts it while somebody
// asks it to. Only for files of the tracer's library.
#pragma once

#include <cstdint>

#include "src/attach/run_cost.h"
#include "symbols/result.h"
#include "symbols/unique.h"

struct bpf_object;

namespace dbtrace::attach {

// Of all programs of `object` that run on the server's or the kernel's account; those that dbtrace
// runs itself (iterators) are part of its own processor time. Errors: the kernel does not tell.
[[nodiscard]] Result<RunCost> runs_of(const bpf_object* object);

}  // namespace dbtrace::attach
