#include "src/attach/try_hooks.h"

#include <algorithm>
#include <cerrno>

#include "src/attach/probes.h"

namespace dbtrace::attach {

TryHooks load_try_hooks(
    const std::function<std::vector<bpf_program*>(const try_hooks_bpf&)>& wanted,
    Mechanism mechanism) {
  prepare_libbpf();
  TryHooks hooks{Unique<TryHooksTraits>(try_hooks_bpf__open())};
  if (!hooks.bpf) return {{}, errno};
  const try_hooks_bpf& bpf = *hooks.bpf.get();
  const std::vector<bpf_program*> programs = wanted(bpf);
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, bpf.obj)
      bpf_program__set_autoload(program, std::ranges::find(programs, program) != programs.end());
  set_attach_types(bpf.obj, mechanism);
  hooks.error = -try_hooks_bpf__load(hooks.bpf.get());
  return hooks;
}

}  // namespace dbtrace::attach
