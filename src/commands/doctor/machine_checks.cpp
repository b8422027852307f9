#include "src/commands/doctor/machine_checks.h"

#include <fmt/format.h>
#include <linux/capability.h>

#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>

#include "src/attach/file_hook.h"
#include "src/output/byte_size.h"

namespace dbtrace::commands {
namespace {

using attach::Machine;
using attach::Trial;
using attach::Trials;
using enum CheckState;

constexpr const char* kRoot = "run as root: sudo dbtrace …";

Check kernel(const Machine& machine) {
  Check check{"kernel", Ok, fmt::format("Linux {} on {}", machine.kernel, machine.processor)};
  int major = 0, minor = 0;
  if (std::sscanf(machine.kernel.c_str(), "%d.%d", &major, &minor) == 2 &&
      (major < 5 || (major == 5 && minor < 15))) {
    check.state = Degraded;
    check.lost = "dbtrace is made for Linux 5.15 and later";
    check.advice = "if something below is refused, a later kernel may help";
  } else if (machine.processor != "x86_64") {
    check.state = Degraded;
    check.lost = "on this processor dbtrace was never run: its decoders are tested on machine code";
  }
  return check;
}

Check type_information(const Machine& machine) {
  if (machine.type_information.empty()) return {"types", Ok, "the kernel's BTF can be read"};
  return {"types", Missing, machine.type_information, "no BPF program can be fitted to this kernel",
          "needs a kernel with CONFIG_DEBUG_INFO_BTF, and /sys mounted"};
}

Check lockdown(const Machine& machine) {
  if (machine.lockdown == "confidentiality")
    return {"lockdown", Missing, "confidentiality", "BPF programs may not read memory",
            "boot with lockdown=integrity or without"};
  return {"lockdown", Ok, machine.lockdown.empty() ? "not told" : machine.lockdown};
}

// All that there are, or those that are there or missing, whichever is shorter.
std::string names_of(uint64_t mask) {
  constexpr int kKnown = attach::kCapabilities;
  constexpr uint64_t kAll = (uint64_t{1} << kKnown) - 1;
  const bool most = std::popcount(mask & kAll) > kKnown / 2;
  std::string names;
  for (int i = 0; i < kKnown; ++i)
    if (attach::has_capability(mask, i) != most)
      names += (names.empty() ? "" : ", ") + attach::capability_name(i);
  if (most) return names.empty() ? "all" : "all but " + names;
  return names.empty() ? "none" : names;
}

Check capabilities(const Machine& machine) {
  Check check{"capabilities", Ok, names_of(machine.capabilities)};
  const auto missing = attach::missing_capabilities(machine.capabilities);
  if (!missing.empty()) {
    check.state = Missing;
    check.found = fmt::format("{} missing (there: {})", fmt::join(missing, " and "), check.found);
    check.lost = "nothing can be traced";
    check.advice = kRoot;
  } else if (!attach::has_capability(machine.capabilities, CAP_SYS_PTRACE)) {
    check.state = Degraded;
    check.found += "; no CAP_SYS_PTRACE";
    check.lost = "servers of other users, and what is read from a server's memory";
    check.advice = kRoot;
  }
  return check;
}

Check limits(const Machine& machine) {
  std::string locked = machine.locked_memory ? "" : "any amount";
  if (machine.locked_memory) output::append_byte_size(locked, *machine.locked_memory);
  Check check{"limits", Ok,
              fmt::format("{} open files, {} of locked memory (counts no BPF since Linux 5.11)",
                          machine.open_files, locked)};
  if (machine.open_files < attach::kOpenFiles) {
    check.state = Degraded;
    check.lost = "many probes at once: each may take a descriptor";
    check.advice = fmt::format("ulimit -n {}", attach::kOpenFiles);
  }
  return check;
}

std::string number(std::optional<int> value) {
  return value ? fmt::format("{}", *value) : "not told";
}

Check settings(const Machine& machine) {
  Check check{"settings", Ok,
              fmt::format("perf_event_paranoid {}, kptr_restrict {}, unprivileged_bpf_disabled {}",
                          number(machine.perf_event_paranoid), number(machine.kptr_restrict),
                          number(machine.unprivileged_bpf_disabled))};
  if (!machine.tells_kernel_symbols) {
    check.state = Degraded;
    check.lost = "names of the kernel's functions in stacks: it hides its addresses";
    check.advice = machine.kptr_restrict.value_or(0) > 1
                       ? "sysctl kernel.kptr_restrict=1, and CAP_SYSLOG"
                       : "CAP_SYSLOG, too";
  }
  return check;
}

Check container(const Machine& machine) {
  const char* filter = machine.filters_system_calls ? "; seccomp filters system calls" : "";
  if (!machine.own_pid_namespace)
    return {"container", Ok, fmt::format("none: all processes can be seen{}", filter)};
  return {"container", Degraded, fmt::format("a pid namespace of its own{}", filter),
          "servers outside of it are not seen",
          "run on the host, or in its pid namespace (docker run --pid=host)"};
}

std::string outcome(const Trials& trials, Trial trial) {
  switch (trials.error(trial)) {
    case 0:
      return "allowed";
    case ENODATA:
      return "attached, but no event came through the ring buffer";
    default:
      return std::strerror(trials.error(trial));
  }
}

Check probes(const Trials& trials) {
  Check check{"probes", Ok,
              fmt::format("uprobe_multi {}; perf events {}", outcome(trials, Trial::UprobeMulti),
                          outcome(trials, Trial::PerfEvent))};
  if (trials.allowed(Trial::UprobeMulti)) return check;
  if (trials.allowed(Trial::PerfEvent)) {
    check.state = Degraded;
    check.lost = "time: some 0.1 s a probe to detach, and a descriptor each";
    check.advice = "uprobe_multi needs Linux 6.6";
    return check;
  }
  check.state = Missing;
  check.lost = "no function of a server can be probed";
  check.advice =
      "needs CONFIG_UPROBE_EVENTS, CAP_SYS_ADMIN where there is no uprobe_multi, and no container "
      "that forbids it";
  return check;
}

Check tried(const Trials& trials, Trial trial, const char* subject, const char* what,
            const char* lost) {
  Check check{subject, Ok, fmt::format("{} {}", what, outcome(trials, trial))};
  if (trials.allowed(trial)) return check;
  check.state = Degraded;
  check.lost = lost;
  return check;
}

Check file_operations(const Trials& trials) {
  const auto choice = attach::best_file_hook(trials);
  if (!choice) return {"file I/O", Degraded, choice.error().message, "operations on files"};
  Check check{"file I/O", Ok, fmt::format("by {}", attach::file_hook_name(choice->hook))};
  if (choice->hook == attach::FileHook::Fentry) return check;
  check.state = Degraded;
  check.found += fmt::format(" (the kernel refuses {})", fmt::join(choice->refused, "; "));
  check.lost = choice->hook == attach::FileHook::SystemCalls
                   ? "a little time of every system call of the machine, while files are watched"
                   : "operations while many threads are in the same function (docs/kernels.md)";
  return check;
}

}  // namespace

std::vector<Check> machine_checks(const Machine& machine, const Trials* trials) {
  std::vector<Check> checks = {kernel(machine),       type_information(machine), lockdown(machine),
                               capabilities(machine), limits(machine),           settings(machine),
                               container(machine)};
  if (!trials) return checks;
  checks.push_back(probes(*trials));
  checks.push_back(tried(*trials, Trial::Scheduler, "scheduler", "tracepoints",
                         "where time goes: --budget, waits, stacks"));
  checks.push_back(tried(*trials, Trial::Timer, "timers", "perf events on the clock",
                         "samples of stacks on the core"));
  checks.push_back(tried(*trials, Trial::Tasks, "threads", "walks of all of them",
                         "what runs at a moment: --running, waits, top, stacks of waits"));
  checks.push_back(file_operations(*trials));
  return checks;
}

}  // namespace dbtrace::commands
