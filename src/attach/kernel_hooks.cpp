#include "src/attach/kernel_hooks.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include "bpf/query_bpf.skel.h"
#include "src/attach/preflight.h"
#include "src/attach/system_calls.h"

namespace dbtrace::attach {
namespace {

struct BtfTraits {
  using Handle = btf*;
  static Handle none() { return nullptr; }
  static void release(Handle handle) { btf__free(handle); }
};

// A program, what it is for, and what it needs to be wanted.
struct Hook {
  bpf_program* program;
  Feature feature;
  bool wanted;
  bool optional = false;  // a function that the compiler may have inlined
};

bool vfs_function_exists(const char* name) {
  return libbpf_find_vmlinux_btf_id(name, BPF_TRACE_FENTRY) > 0;
}

// How many parameters a tracepoint of this kernel has; 0: there is none of that name.
size_t tracepoint_parameters(const char* name) {
  const Unique<BtfTraits> kernel(btf__load_vmlinux_btf());
  if (!kernel) return 0;
  const std::string type_name = fmt::format("btf_trace_{}", name);
  const int id = btf__find_by_name_kind(kernel.get(), type_name.c_str(), BTF_KIND_TYPEDEF);
  if (id < 0) return 0;
  const btf_type* pointer = btf__type_by_id(kernel.get(), btf__type_by_id(kernel.get(), id)->type);
  const btf_type* function = btf__type_by_id(kernel.get(), pointer->type);
  return btf_vlen(function) - 1U;  // the first one is the tracepoint's own
}

// The functions of vectored calls are static in the kernel. Where one is inlined, preadv
// and the like are not seen.
std::vector<Hook> all_hooks(const query_bpf& bpf, const TracerOptions& options) {
  constexpr Feature kTime = Feature::Time, kFiles = Feature::Files;
  const auto& programs = bpf.progs;
  const bool scheduler = options.budget || options.waits;
  const bool fentry = options.file_hook == FileHook::Fentry;
  const bool kprobe = options.file_hook == FileHook::Kprobe;
  const bool calls = options.file_hook == FileHook::SystemCalls;
  // In their present form, that is: before Linux 6.0 they tell something else.
  const bool request = options.operations && tracepoint_parameters("io_uring_submit_req") == 1;
  const bool entry = options.operations && tracepoint_parameters("io_uring_submit_sqe") == 2;
  const bool readv = fentry && vfs_function_exists("vfs_readv");
  const bool writev = fentry && vfs_function_exists("vfs_writev");
  return {
      {programs.core_changes_hands, kTime, scheduler},
      {programs.thread_is_woken, kTime, scheduler},
      {programs.call_enters, kFiles, calls},
      {programs.call_exits, kFiles, calls},
      {programs.libaio_enters, kFiles, options.operations, true},
      {programs.libaio_leaves, kFiles, options.operations, true},
      {programs.ring_request, kFiles, request, true},
      {programs.ring_entry, kFiles, entry, true},
      {programs.ring_completes, kFiles, request || entry, true},
      {programs.vfs_read_enters, kFiles, fentry},
      {programs.vfs_read_leaves, kFiles, fentry},
      {programs.vfs_write_enters, kFiles, fentry},
      {programs.vfs_write_leaves, kFiles, fentry},
      {programs.fsync_enters, kFiles, fentry},
      {programs.fsync_leaves, kFiles, fentry},
      {programs.fdatasync_enters, kFiles, fentry},
      {programs.fdatasync_leaves, kFiles, fentry},
      {programs.sync_file_range_enters, kFiles, fentry},
      {programs.sync_file_range_leaves, kFiles, fentry},
      {programs.vfs_readv_enters, kFiles, readv, true},
      {programs.vfs_readv_leaves, kFiles, readv, true},
      {programs.vfs_writev_enters, kFiles, writev, true},
      {programs.vfs_writev_leaves, kFiles, writev, true},
      {programs.vfs_read_probed, kFiles, kprobe},
      {programs.vfs_read_returned, kFiles, kprobe},
      {programs.vfs_write_probed, kFiles, kprobe},
      {programs.vfs_write_returned, kFiles, kprobe},
      {programs.fsync_probed, kFiles, kprobe},
      {programs.fsync_returned, kFiles, kprobe},
      {programs.fdatasync_probed, kFiles, kprobe},
      {programs.fdatasync_returned, kFiles, kprobe},
      {programs.sync_file_range_probed, kFiles, kprobe},
      {programs.sync_file_range_returned, kFiles, kprobe},
      {programs.vfs_readv_probed, kFiles, kprobe, true},
      {programs.vfs_readv_returned, kFiles, kprobe, true},
      {programs.vfs_writev_probed, kFiles, kprobe, true},
      {programs.vfs_writev_returned, kFiles, kprobe, true},
  };
}

}  // namespace

void prepare_kernel_hooks(query_bpf& bpf, const TracerOptions& options) {
  bpf.rodata->budget_wanted = options.budget;
  bpf.rodata->files_wanted = options.file_hook != FileHook::None;
  bpf.rodata->operations_wanted = options.operations;
  bpf.rodata->operations_slower_than_ns = options.operations_slower_than_ns;
  bpf.rodata->only_with_operations = options.operations && !options.all_commands;
  std::ranges::copy(system_calls(), bpf.rodata->system_calls);
  for (const Hook& hook : all_hooks(bpf, options))
    bpf_program__set_autoload(hook.program, hook.wanted);
  for (bpf_program* program : {bpf.progs.wait_begin, bpf.progs.wait_end})
    bpf_program__set_autoload(program, options.budget || options.waits);
}

Result<FeatureLinks> attach_kernel_hooks(query_bpf& bpf, const TracerOptions& options) {
  FeatureLinks links;
  for (const Hook& hook : all_hooks(bpf, options)) {
    if (!hook.wanted) continue;
    Link link(bpf_program__attach(hook.program));
    if (link)
      links[static_cast<size_t>(hook.feature)].push_back(std::move(link));
    else if (!hook.optional)
      return tl::unexpected(explain_failure(
          fmt::format("cannot attach to the kernel's {}", bpf_program__section_name(hook.program)),
          errno));
  }
  return links;
}

}  // namespace dbtrace::attach
