// Programs that run now and then on a core. Only for files of the tracer's library.
#pragma once

#include <bpf/libbpf.h>

#include <cstdint>

#include "src/attach/probes.h"

namespace dbtrace::attach {

// Runs `program` so many times a second of `core` at work. None, with errno, when it cannot be;
// ENODEV: the core is off.
[[nodiscard]] Link attach_timer(const bpf_program* program, int core, uint32_t frequency);

}  // namespace dbtrace::attach
