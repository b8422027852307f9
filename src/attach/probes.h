// What the tracers share of libbpf: owners of its handles, and probes at many
// places of one file. Only for files of the tracer's library.
#pragma once

#include <bpf/libbpf.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "src/attach/apart.h"
#include "src/attach/mechanism.h"
#include "symbols/result.h"
#include "symbols/unique.h"

namespace dbtrace::attach {

struct LinkTraits {
  using Handle = bpf_link*;
  static Handle none() { return nullptr; }
  static void release(Handle handle) {
    run_apart([handle] { bpf_link__destroy(handle); });
  }
};
struct RingTraits {
  using Handle = ring_buffer*;
  static Handle none() { return nullptr; }
  static void release(Handle handle) { ring_buffer__free(handle); }
};
using Link = Unique<LinkTraits>;
using Ring = Unique<RingTraits>;

// Before anything else of libbpf. It explains itself on stderr; our own errors say
// it better, so its words are shown only when DBTRACE_DEBUG is set.
void prepare_libbpf();

// Between open and load: sections named "uprobe.multi" give programs the attach
// type of uprobe_multi, and a plain uprobe has none.
void set_attach_types(bpf_object* object, Mechanism mechanism);

// For programs that tell processes by their ids: the pid namespace that we live
// in, or zeros when it is the initial one, whose ids the kernel uses.
struct PidNamespace {
  uint64_t device = 0;
  uint64_t inode = 0;
};
[[nodiscard]] PidNamespace own_pid_namespace();

// The sum over all CPUs of each counter in a per-CPU array of 64-bit numbers. Errors: the kernel
// does not tell; nothing may be taken for zero then.
[[nodiscard]] Result<std::vector<uint64_t>> sum_counters(const bpf_map* map, size_t count);

struct Probe {
  uint64_t offset;  // in the file
  uint64_t cookie;  // what the program gets
};

// Where probes go: into that very file, whatever its path means by now.
struct ProbedFile {
  int fd;
  // Processes that only share the file then pay nothing, where the kernel can
  // tell them apart. Programs must look at the process themselves all the same.
  // 0: every process.
  uint32_t pid;
};

// What came of attach_probes.
struct Attached {
  std::vector<Link> links;
  std::vector<Probe> refused;  // places that the kernel takes no probe on
  int error = 0;               // why nothing is attached; 0: something is, or nothing was to be
};

// Runs `program` at each place (or, for at_return, when the function that begins
// there returns). All or none, except for the places that are refused.
[[nodiscard]] Attached attach_probes(const bpf_program* program, const ProbedFile& file,
                                     std::span<const Probe> probes, bool at_return,
                                     Mechanism mechanism);

// An error for a program that could not be attached at `place` ("main at file
// offset 0x1234", "5 places of /bin/x").
[[nodiscard]] Error not_attached(const std::string& place, Mechanism mechanism, int error_number);

// At each link that it removes, the kernel waits until no thread can be in its
// probes: seconds, on a busy machine. Removed together they share that wait.
void remove_together(std::vector<Link>& links);

}  // namespace dbtrace::attach
