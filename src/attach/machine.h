// What this machine is and what this process may do, as far as files tell. Whether the
// kernel really does what is asked of it is found out by trying (trial.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "symbols/result.h"

namespace dbtrace::attach {

// Absent: the kernel does not say.
struct Machine {
  std::string kernel;            // its release, "6.1.0-25-amd64"
  std::string processor;         // "x86_64"
  std::string type_information;  // why kernel BTF cannot be read; empty: it can
  std::string lockdown;          // "none", "integrity", "confidentiality"; empty: not known
  uint64_t capabilities = 0;     // effective ones, a bit each
  std::optional<uint64_t> locked_memory;  // RLIMIT_MEMLOCK, in bytes; absent: without limit
  uint64_t open_files = 0;                // RLIMIT_NOFILE
  bool filters_system_calls = false;      // by seccomp
  bool own_pid_namespace = false;         // not the initial one
  bool tells_kernel_symbols = false;      // addresses in /proc/kallsyms are true
  std::optional<int> perf_event_paranoid;
  std::optional<int> kptr_restrict;
  std::optional<int> unprivileged_bpf_disabled;
};

[[nodiscard]] Machine look_at_machine();

// Those that have names (Linux 5.9 to 6.18).
inline constexpr int kCapabilities = 41;
// "CAP_BPF"; of numbers that dbtrace has no name for, the number.
[[nodiscard]] std::string capability_name(int capability);
[[nodiscard]] bool has_capability(uint64_t mask, int capability);
// Names of those without which nothing can be traced.
[[nodiscard]] std::vector<std::string> missing_capabilities(uint64_t mask);

// Parts of the above.
[[nodiscard]] uint64_t effective_capabilities();
[[nodiscard]] std::string kernel_release();
[[nodiscard]] std::string lockdown_mode();

// An error when kernel BTF cannot be read.
[[nodiscard]] Result<void> find_type_information();

// Descriptors that a run may need: perf events take one a probe and core.
inline constexpr uint64_t kOpenFiles = 1024;

}  // namespace dbtrace::attach
