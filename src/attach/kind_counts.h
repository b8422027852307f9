// Reads what the BPF programs have counted of each kind of command. Only for files of the
// tracer's library.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "src/model/sums.h"
#include "symbols/result.h"

struct query_bpf;

namespace dbtrace::attach {

struct TracerOptions;

// The key of a coarse kind (model::Query::kind of its examples), and its sums so far.
using KindSums = std::vector<std::pair<uint64_t, model::Sums>>;

// Whether this kernel can count by kind: it needs bpf_loop (Linux 5.17).
[[nodiscard]] bool kernel_counts_kinds();

// Between open and load.
void prepare_kinds(query_bpf& bpf, const TracerOptions& options);
[[nodiscard]] Result<KindSums> read_kinds(const query_bpf& bpf);

}  // namespace dbtrace::attach
