#include "src/attach/file_hook.h"

#include <bpf/libbpf.h>
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "bpf/try_hooks_bpf.skel.h"
#include "src/attach/preflight.h"
#include "src/attach/probes.h"

namespace dbtrace::attach {
namespace {

struct SkeletonTraits {
  using Handle = try_hooks_bpf*;
  static Handle none() { return nullptr; }
  static void release(Handle handle) { try_hooks_bpf__destroy(handle); }
};

bpf_program* trial_of(const try_hooks_bpf& bpf, FileHook hook) {
  switch (hook) {
    case FileHook::Fentry:
      return bpf.progs.try_fentry;
    case FileHook::Kprobe:
      return bpf.progs.try_kprobe;
    case FileHook::SystemCalls:
      return bpf.progs.try_system_calls;
    case FileHook::Auto:
    case FileHook::None:
      break;
  }
  return nullptr;
}

// The error number with which the kernel refuses `hook`; 0: it does not.
int try_hook(FileHook hook) {
  const Unique<SkeletonTraits> skeleton(try_hooks_bpf__open());
  if (!skeleton) return errno;
  bpf_program* trial = trial_of(*skeleton.get(), hook);
  if (!trial) return 0;
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, skeleton.get()->obj)
      bpf_program__set_autoload(program, program == trial);
  if (const int error = try_hooks_bpf__load(skeleton.get())) return -error;
  const Link link(bpf_program__attach(trial));
  return link ? 0 : errno;
}

Result<FileHookChoice> choose_best() {
  FileHookChoice choice;
  for (const FileHook hook : {FileHook::Fentry, FileHook::SystemCalls, FileHook::Kprobe}) {
    const int error = try_hook(hook);
    if (error == 0) {
      choice.hook = hook;
      return choice;
    }
    choice.refused.push_back(fmt::format("{}: {}", file_hook_name(hook), std::strerror(error)));
  }
  return fail(fmt::format("the kernel lets nobody see file operations ({})",
                          fmt::join(choice.refused, "; ")),
              "--file-io none does without them");
}

}  // namespace

std::string_view file_hook_name(FileHook hook) {
  switch (hook) {
    case FileHook::Auto:
      return "auto";
    case FileHook::Fentry:
      return "fentry";
    case FileHook::Kprobe:
      return "kprobe";
    case FileHook::SystemCalls:
      return "syscalls";
    case FileHook::None:
      break;
  }
  return "none";
}

Result<FileHookChoice> choose_file_hook(FileHook wanted) {
  keep_libbpf_quiet();
  if (wanted == FileHook::Auto) return choose_best();
  if (const int error = try_hook(wanted))
    return tl::unexpected(explain_failure(
        fmt::format("cannot see file operations by {}", file_hook_name(wanted)), error));
  return FileHookChoice{.hook = wanted, .refused = {}};
}

}  // namespace dbtrace::attach
