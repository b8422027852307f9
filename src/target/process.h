// What /proc tells about a process. Everything here may vanish at any moment:
// absent answers mean "gone or not allowed", never an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "symbols/process_maps.h"

namespace dbtrace::target {

// The processes beneath a folder laid out like /proc.
class Proc {
 public:
  explicit Proc(std::string folder = "/proc") : folder_(std::move(folder)) {}

  // The ids of all processes that run a program of their own (no kernel threads).
  [[nodiscard]] std::vector<uint32_t> processes() const;

  // "/proc/PID/exe": opens the running file even when it was deleted or lies in
  // another mount namespace.
  [[nodiscard]] std::string exe_link(uint32_t pid) const;
  // "/proc/PID/root": the process's root folder, in its mount namespace.
  [[nodiscard]] std::string root_link(uint32_t pid) const;

  // Where the executable lies, without " (deleted)": seen from here, or from
  // inside the process's mount namespace when that is another one.
  [[nodiscard]] std::optional<std::string> exe_path(uint32_t pid) const;
  [[nodiscard]] bool exe_deleted(uint32_t pid) const;
  // (device, inode) of the running executable.
  [[nodiscard]] std::optional<std::pair<uint64_t, uint64_t>> exe_inode(uint32_t pid) const;

  // The first 64 KB of it.
  [[nodiscard]] std::vector<std::string> command_line(uint32_t pid) const;
  // What a process calls itself: its first argument, which servers write over. "" when it is gone.
  [[nodiscard]] std::string title(uint32_t pid) const;
  // Whose rights it has (its effective user).
  [[nodiscard]] std::optional<uint32_t> user(uint32_t pid) const;
  [[nodiscard]] std::optional<uint32_t> parent(uint32_t pid) const;
  // Processor time of the process and its children, those that have ended included, in
  // nanoseconds, as exact as the kernel's ticks (10 ms).
  [[nodiscard]] uint64_t processor_time(uint32_t pid) const;

  // Run-time minus link-time address of the process's executable, given the
  // lowest page-aligned link-time address of its PT_LOAD segments.
  [[nodiscard]] std::optional<uint64_t> load_bias(uint32_t pid,
                                                  uint64_t first_segment_address) const;
  [[nodiscard]] std::vector<symbols::Mapping> mappings(uint32_t pid) const;
  // Whether an address is of the process's program, or of no file. Others may be of a file system
  // that never answers, and reading them by the process's memory could not be ended.
  [[nodiscard]] bool is_own_memory(uint32_t pid, uint64_t address) const;

 private:
  [[nodiscard]] std::string file(uint32_t pid, std::string_view name) const;
  // What stands behind the process's name in its `stat`: its state, its parent, …; fewer when it
  // is gone.
  [[nodiscard]] std::vector<std::string> stat(uint32_t pid) const;
  std::string folder_;
};

// The value of `--name=value` or `--name value` on a command line; the last one
// counts, as it does for the servers.
[[nodiscard]] std::optional<std::string> option_value(const std::vector<std::string>& arguments,
                                                      std::string_view name);

// A NUL-terminated string (at most 255 bytes) in the process's memory, read
// without stopping or changing it.
[[nodiscard]] std::optional<std::string> read_string(uint32_t pid, uint64_t address);

}  // namespace dbtrace::target
