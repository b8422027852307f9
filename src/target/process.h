// What /proc tells about a process. Everything here may vanish at any moment:
// absent answers mean "gone or not allowed", never an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dbtrace::target {

// The ids of all processes that run a program of their own (no kernel threads).
[[nodiscard]] std::vector<uint32_t> list_processes();

// "/proc/PID/exe": opens the running file even when it was deleted or lies in
// another mount namespace.
[[nodiscard]] std::string exe_link(uint32_t pid);

// Where the process sees its executable, without " (deleted)".
[[nodiscard]] std::optional<std::string> exe_path(uint32_t pid);
[[nodiscard]] bool exe_deleted(uint32_t pid);
// (device, inode) of the running executable.
[[nodiscard]] std::optional<std::pair<uint64_t, uint64_t>> exe_inode(uint32_t pid);

[[nodiscard]] std::vector<std::string> command_line(uint32_t pid);
// The value of `--name=value` or `--name value` on a command line.
[[nodiscard]] std::optional<std::string> option_value(const std::vector<std::string>& arguments,
                                                      std::string_view name);

// A NUL-terminated string (at most 255 bytes) in the process's memory, read
// without stopping or changing it.
[[nodiscard]] std::optional<std::string> read_string(uint32_t pid, uint64_t address);
// Run-time minus link-time address of the process's executable, given the
// lowest page-aligned link-time address of its PT_LOAD segments.
[[nodiscard]] std::optional<uint64_t> load_bias(uint32_t pid, uint64_t first_segment_address);

}  // namespace dbtrace::target
