// The programs that watch the kernel rather than the server: the scheduler, and
// operations on files. Only for files of the tracer's library.
#pragma once

#include <array>
#include <vector>

#include "src/attach/feature.h"
#include "src/attach/probes.h"
#include "src/attach/tracer.h"
#include "symbols/result.h"

struct query_bpf;

namespace dbtrace::attach {

// Between open and load: settings, and which programs there are to be.
void prepare_kernel_hooks(query_bpf& bpf, const TracerOptions& options);

// By attach::Feature; those of one in the order in which they are to be removed.
using FeatureLinks = std::array<std::vector<Link>, kFeatures>;
// After load.
[[nodiscard]] Result<FeatureLinks> attach_kernel_hooks(query_bpf& bpf,
                                                       const TracerOptions& options);

}  // namespace dbtrace::attach
