// What a process has mapped where, and the very files behind it. Formats:
// proc_pid_maps(5), proc_pid_map_files(5), proc_pid_status(5).
//
// A process may change or end between any two calls: answers are about the
// moment of the call, and every one can fail.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/result.h"
#include "symbols/unique.h"

namespace dbtrace::symbols {

// One line of /proc/PID/maps: the addresses [start, end).
struct Mapping {
  uint64_t start = 0;
  uint64_t end = 0;
  uint64_t offset = 0;  // in the file, of `start`
  bool executable = false;
  uint64_t inode = 0;  // 0: no file
  // As the kernel says, without " (deleted)"; "[vdso]", "[uprobes]" and the like
  // for its own mappings, "" for anonymous memory.
  std::string path;

  // Made by the kernel for return probes: an address in it is not code of the
  // program, but where a probed function will return to.
  [[nodiscard]] bool is_return_probe() const;
  [[nodiscard]] bool is_vdso() const { return path == "[vdso]"; }
};

// The mappings in `text`, laid out like /proc/PID/maps, by ascending address.
// Lines that are none are left out, and so is all that overlaps what is before.
[[nodiscard]] std::vector<Mapping> parse_maps(std::string_view text);

// Costs the kernel and us about 1 µs a mapping. Errors: no such process, not allowed.
[[nodiscard]] Result<std::vector<Mapping>> read_maps(uint32_t pid);

// Run-time minus link-time address of the file `inode`, the lowest page-aligned link-time
// address of whose PT_LOAD segments is `first_address`; nullopt: it is not mapped. The inode
// alone decides: a mapping's device may be that of the file system below an overlay.
[[nodiscard]] std::optional<uint64_t> load_bias(std::span<const Mapping> mappings, uint64_t inode,
                                                uint64_t first_address);

// An O_PATH descriptor of the file that is mapped there, even where it was
// deleted or lies in another mount namespace: by /proc/PID/map_files, which
// needs CAP_CHECKPOINT_RESTORE, or by path if that still is the same inode.
[[nodiscard]] Result<UniqueFd> open_mapped_file(uint32_t pid, const Mapping& mapping);

// The bytes of the vDSO that a process has mapped; where its memory may not be
// read, our own, which is the same.
[[nodiscard]] Result<std::string> read_vdso(uint32_t pid, const Mapping& mapping);

// When the process started, in clock ticks since boot: with the pid, its
// identity. nullopt when there is no such process.
[[nodiscard]] std::optional<uint64_t> start_time(uint32_t pid);

}  // namespace dbtrace::symbols
