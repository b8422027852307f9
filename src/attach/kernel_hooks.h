// The programs that watch the kernel rather than the server: the scheduler, and
// operations on files. Only for files of the tracer's library.
#pragma once

#include <cstdint>
#include <vector>

#include "src/attach/probes.h"
#include "src/attach/tracer.h"
#include "symbols/result.h"

struct query_bpf;

namespace dbtrace::attach {

// Between open and load: settings, and which programs there are to be.
void prepare_kernel_hooks(query_bpf& bpf, const TracerOptions& options);

// After load. The links are in the order in which they are to be removed.
[[nodiscard]] Result<std::vector<Link>> attach_kernel_hooks(query_bpf& bpf,
                                                            const TracerOptions& options);

}  // namespace dbtrace::attach
