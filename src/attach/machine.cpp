#include "src/attach/machine.h"

#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <string_view>

#include "src/attach/probes.h"
#include "symbols/kernel_symbols.h"

namespace dbtrace::attach {
namespace {

constexpr const char* kKernelBtf = "/sys/kernel/btf/vmlinux";
constexpr const char* kLockdown = "/sys/kernel/security/lockdown";

// By number (include/uapi/linux/capability.h).
// clang-format off
constexpr std::array<std::string_view, kCapabilities> kNames = {
    "CHOWN", "DAC_OVERRIDE", "DAC_READ_SEARCH", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID",
    "SETPCAP", "LINUX_IMMUTABLE", "NET_BIND_SERVICE", "NET_BROADCAST", "NET_ADMIN", "NET_RAW",
    "IPC_LOCK", "IPC_OWNER", "SYS_MODULE", "SYS_RAWIO", "SYS_CHROOT", "SYS_PTRACE", "SYS_PACCT",
    "SYS_ADMIN", "SYS_BOOT", "SYS_NICE", "SYS_RESOURCE", "SYS_TIME", "SYS_TTY_CONFIG", "MKNOD",
    "LEASE", "AUDIT_WRITE", "AUDIT_CONTROL", "SETFCAP", "MAC_OVERRIDE", "MAC_ADMIN", "SYSLOG",
    "WAKE_ALARM", "BLOCK_SUSPEND", "AUDIT_READ", "PERFMON", "BPF", "CHECKPOINT_RESTORE"};
// clang-format on

// What stands behind "NAME:" in /proc/self/status; "" when it is not there.
std::string status_value(std::string_view name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != ':') continue;
    const size_t start = line.find_first_not_of(" \t", name.size() + 1);
    return start == std::string::npos ? "" : line.substr(start);
  }
  return {};
}

std::optional<int> setting(const char* path) {
  std::ifstream file(path);
  int value = 0;
  if (file >> value) return value;
  return std::nullopt;
}

}  // namespace

uint64_t effective_capabilities() {
  const std::string value = status_value("CapEff");
  uint64_t mask = 0;
  std::from_chars(value.data(), value.data() + value.size(), mask, 16);
  return mask;
}

std::string capability_name(int capability) {
  if (capability < 0 || capability >= kCapabilities) return fmt::format("{}", capability);
  return fmt::format("CAP_{}", kNames[static_cast<size_t>(capability)]);
}

bool has_capability(uint64_t mask, int capability) { return mask >> capability & 1; }

std::vector<std::string> missing_capabilities(uint64_t mask) {
  std::vector<std::string> missing;
  // CAP_SYS_ADMIN stands for the two that were split off from it in Linux 5.8.
  if (has_capability(mask, CAP_SYS_ADMIN)) return missing;
  for (const int capability : {CAP_BPF, CAP_PERFMON})
    if (!has_capability(mask, capability)) missing.push_back(capability_name(capability));
  return missing;
}

std::string kernel_release() {
  utsname name{};
  return ::uname(&name) == 0 ? name.release : "unknown";
}

// "none [integrity] confidentiality" → "integrity".
std::string lockdown_mode() {
  std::ifstream file(kLockdown);
  std::string line;
  std::getline(file, line);
  const size_t open = line.find('['), close = line.find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) return {};
  return line.substr(open + 1, close - open - 1);
}

Result<void> find_type_information() {
  if (::access(kKernelBtf, R_OK) == 0) return {};
  return fail(fmt::format("the kernel's type information ({}) is missing: {}", kKernelBtf,
                          std::strerror(errno)),
              fmt::format("dbtrace needs a kernel built with CONFIG_DEBUG_INFO_BTF (Linux 5.15 or "
                          "later; this is {}) and /sys mounted",
                          kernel_release()));
}

Machine look_at_machine() {
  Machine machine;
  utsname name{};
  machine.processor = ::uname(&name) == 0 ? name.machine : "unknown";
  machine.kernel = kernel_release();
  if (const auto found = find_type_information(); !found)
    machine.type_information = found.error().message;
  machine.lockdown = lockdown_mode();
  machine.capabilities = effective_capabilities();
  rlimit limit{};
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    machine.locked_memory = limit.rlim_cur;
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) machine.open_files = limit.rlim_cur;
  const std::string seccomp = status_value("Seccomp");
  machine.filters_system_calls = !seccomp.empty() && seccomp != "0";
  machine.own_pid_namespace = own_pid_namespace().inode != 0;
  machine.tells_kernel_symbols = symbols::KernelSymbols::read().has_value();
  machine.perf_event_paranoid = setting("/proc/sys/kernel/perf_event_paranoid");
  machine.kptr_restrict = setting("/proc/sys/kernel/kptr_restrict");
  machine.unprivileged_bpf_disabled = setting("/proc/sys/kernel/unprivileged_bpf_disabled");
  return machine;
}

}  // namespace dbtrace::attach
