// The programs that dbtrace tries on itself. Only for files of the tracer's library.
#pragma once

#include <functional>
#include <vector>

#include "bpf/try_hooks_bpf.skel.h"
#include "src/attach/mechanism.h"
#include "symbols/unique.h"

namespace dbtrace::attach {

struct TryHooksTraits {
  using Handle = try_hooks_bpf*;
  static Handle none() { return nullptr; }
  static void release(Handle handle) { try_hooks_bpf__destroy(handle); }
};

struct TryHooks {
  Unique<TryHooksTraits> bpf;
  int error = 0;  // an errno: they are not loaded
};

// Loads those that `wanted` names, its probes to be attached by `mechanism`.
[[nodiscard]] TryHooks load_try_hooks(
    const std::function<std::vector<bpf_program*>(const try_hooks_bpf&)>& wanted,
    Mechanism mechanism);

}  // namespace dbtrace::attach
