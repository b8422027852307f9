#include "src/sandbox/capabilities.h"

#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace dbtrace::sandbox {
namespace {

// The kernel takes and gives sets in halves.
using Halves = std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3>;

__user_cap_header_struct this_thread() { return {_LINUX_CAPABILITY_VERSION_3, 0}; }

constexpr CapabilitySet joined(uint32_t low, uint32_t high) {
  return low | CapabilitySet{high} << 32;
}

// Only who has CAP_SETPCAP may; without it nobody gains by the bounding set, as nothing is
// executed.
void shrink_bounding_set(CapabilitySet kept) {
  for (int each = 0; ::prctl(PR_CAPBSET_READ, each) >= 0; ++each)
    if (!(kept & set_of({each}))) (void)::prctl(PR_CAPBSET_DROP, each);
}

struct Use {
  bool Needs::*need;
  CapabilitySet capabilities;
};

}  // namespace

CapabilitySet set_of(std::initializer_list<int> capabilities) {
  CapabilitySet set = 0;
  for (const int each : capabilities) set |= CapabilitySet{1} << each;
  return set;
}

CapabilitySet needed_capabilities(const Needs& needs, CapabilitySet permitted) {
  const std::array<Use, 5> uses = {{
      {&Needs::processes, set_of({CAP_SYS_PTRACE})},
      {&Needs::memory, set_of({CAP_SYS_PTRACE})},
      {&Needs::code,
       set_of({CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH, CAP_CHECKPOINT_RESTORE, CAP_SYSLOG})},
      {&Needs::new_files, set_of({CAP_DAC_OVERRIDE})},
      {&Needs::probes, set_of({CAP_PERFMON, CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH})},
  }};
  // Before Linux 5.19, also reading a map takes it.
  CapabilitySet needed = set_of({CAP_BPF});
  for (const Use& use : uses)
    if (needs.*use.need) needed |= use.capabilities;
  if (needs.probes && needs.perf_events) needed |= set_of({CAP_SYS_ADMIN});
  // Threads that connect have theirs; of those that come later this is the one. A socket's
  // permissions are a file's.
  if (needs.probes && needs.connections) needed |= set_of({CAP_DAC_OVERRIDE});
  // It stands for those that were split off from it.
  const CapabilitySet split_off = set_of({CAP_BPF, CAP_PERFMON, CAP_CHECKPOINT_RESTORE});
  if (needed & split_off & ~permitted) needed |= set_of({CAP_SYS_ADMIN});
  return needed & permitted;
}

CapabilitySet permitted_capabilities() {
  __user_cap_header_struct header = this_thread();
  Halves halves{};
  if (::syscall(SYS_capget, &header, halves.data()) != 0) return 0;
  return joined(halves[0].permitted, halves[1].permitted);
}

Result<void> keep_capabilities(CapabilitySet kept) {
  shrink_bounding_set(kept);
  (void)::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  kept &= permitted_capabilities();
  __user_cap_header_struct header = this_thread();
  Halves halves{};
  for (size_t half = 0; half < halves.size(); ++half)
    halves[half].permitted = halves[half].effective = static_cast<uint32_t>(kept >> 32 * half);
  if (::syscall(SYS_capset, &header, halves.data()) == 0) return {};
  return fail(fmt::format("cannot give up capabilities: {}", std::strerror(errno)));
}

}  // namespace dbtrace::sandbox
