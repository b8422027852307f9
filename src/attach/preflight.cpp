#include "src/attach/preflight.h"

#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "src/attach/machine.h"

namespace dbtrace::attach {
namespace {

bool few_open_files() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < kOpenFiles;
}

void allow_open_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kOpenFiles) return;
  limit.rlim_cur = kOpenFiles;
  limit.rlim_max = std::max<rlim_t>(limit.rlim_max, kOpenFiles);
  ::setrlimit(RLIMIT_NOFILE, &limit);  // who may not raise it can still try
}

}  // namespace

Result<void> preflight() {
  allow_open_files();
  const std::vector<std::string> missing = missing_capabilities(effective_capabilities());
  if (!missing.empty())
    return fail(fmt::format("not permitted to trace: {} missing", fmt::join(missing, " and ")),
                "run as root: sudo dbtrace …");
  return find_type_information();
}

Error explain_failure(const std::string& what, int error_number) {
  std::string hint;
  const bool is_refusal = error_number == EPERM || error_number == EACCES || error_number == EINVAL;
  if (is_refusal && lockdown_mode() == "confidentiality") {
    // The verifier does not know the functions that it forbids: EINVAL.
    hint =
        "the kernel is locked down (lockdown=confidentiality): it forbids BPF programs to read "
        "memory; boot with lockdown=integrity or without";
  } else if (error_number == EACCES && has_capability(effective_capabilities(), CAP_SYS_ADMIN)) {
    hint = fmt::format(
        "this kernel ({}) does not accept a program that others do: please report this with what "
        "DBTRACE_DEBUG=1 in the environment makes it print",
        kernel_release());
  } else if (error_number == EPERM || error_number == EACCES) {
    hint =
        "the capability CAP_SYS_ADMIN may be needed here: run as root, outside a restricted "
        "container";
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
