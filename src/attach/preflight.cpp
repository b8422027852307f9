#include "src/attach/preflight.h"

#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace dbtrace::attach {
namespace {

constexpr const char* kKernelBtf = "/sys/kernel/btf/vmlinux";
constexpr rlim_t kOpenFiles = 1024;
constexpr const char* kLockdown = "/sys/kernel/security/lockdown";

uint64_t effective_capabilities() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("CapEff:")) continue;
    const size_t start = line.find_first_not_of(" \t", 7);
    uint64_t mask = 0;
    if (start != std::string::npos)
      std::from_chars(line.data() + start, line.data() + line.size(), mask, 16);
    return mask;
  }
  return 0;
}

bool has(uint64_t mask, int capability) { return mask >> capability & 1; }

std::vector<std::string> missing_capabilities() {
  const uint64_t mask = effective_capabilities();
  std::vector<std::string> missing;
  // CAP_SYS_ADMIN stands for the two that were split off from it in Linux 5.8.
  if (has(mask, CAP_SYS_ADMIN)) return missing;
  if (!has(mask, CAP_BPF)) missing.emplace_back("CAP_BPF");
  if (!has(mask, CAP_PERFMON)) missing.emplace_back("CAP_PERFMON");
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

bool few_open_files() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < kOpenFiles;
}

void allow_open_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kOpenFiles) return;
  limit.rlim_cur = kOpenFiles;
  limit.rlim_max = std::max(limit.rlim_max, kOpenFiles);
  ::setrlimit(RLIMIT_NOFILE, &limit);  // who may not raise it can still try
}

}  // namespace

Result<void> preflight() {
  allow_open_files();
  const std::vector<std::string> missing = missing_capabilities();
  if (!missing.empty())
    return fail(fmt::format("not permitted to trace: {} missing", fmt::join(missing, " and ")),
                "run as root: sudo dbtrace …");
  if (::access(kKernelBtf, R_OK) != 0)
    return fail(
        fmt::format("the kernel's type information ({}) is missing: {}", kKernelBtf,
                    std::strerror(errno)),
        fmt::format("dbtrace needs a kernel built with CONFIG_DEBUG_INFO_BTF (Linux 5.15 or "
                    "later; this is {}) and /sys mounted",
                    kernel_release()));
  return {};
}

Error explain_failure(const std::string& what, int error_number) {
  std::string hint;
  const std::string lockdown = lockdown_mode();
  if (error_number == EACCES && has(effective_capabilities(), CAP_SYS_ADMIN)) {
    hint = fmt::format(
        "this kernel ({}) does not accept a program that others do: please report this with what "
        "DBTRACE_DEBUG=1 in the environment makes it print",
        kernel_release());
  } else if (error_number == EPERM || error_number == EACCES) {
    hint = lockdown == "confidentiality"
               ? "the kernel is locked down (lockdown=confidentiality): it forbids BPF programs to "
                 "read memory; boot with lockdown=integrity or without"
               : "the capability CAP_SYS_ADMIN may be needed here: run as root, outside a "
                 "restricted container";
  } else if (error_number == EMFILE || (error_number == EINVAL && few_open_files())) {
    // Out of descriptors, libbpf takes the kernel for one that lacks features.
    hint = fmt::format("too few files may be open at once: ulimit -n {}", kOpenFiles);
  } else if (error_number == EINVAL || error_number == ENOTSUP || error_number == ENOENT) {
    hint = fmt::format(
        "this kernel ({}) may be too old or lack a feature: dbtrace needs Linux 5.15 "
        "or later with uprobes (CONFIG_UPROBE_EVENTS) and BPF",
        kernel_release());
  } else if (error_number == ENOMEM || error_number == E2BIG) {
    hint = "not enough memory for BPF maps: try a smaller --buffer";
  }
  return {fmt::format("{}: {}", what, std::strerror(error_number)), hint};
}

}  // namespace dbtrace::attach
