#include "src/attach/trial.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "src/attach/event_ring.h"
#include "src/attach/own_code.h"
#include "src/attach/probes.h"
#include "src/attach/timer.h"
#include "src/attach/try_hooks.h"

namespace dbtrace::attach {
namespace {

// What is probed of ourselves. The compiler must neither drop its call nor see through it.
[[gnu::noinline]] void probed_by_itself() { asm volatile("" ::: "memory"); }

std::vector<bpf_program*> programs_of(const try_hooks_bpf& bpf, Trial trial) {
  switch (trial) {
    case Trial::UprobeMulti:
    case Trial::PerfEvent:
      return {bpf.progs.try_probe, bpf.progs.try_return_probe};
    case Trial::Scheduler:
      return {bpf.progs.try_scheduler};
    case Trial::Timer:
      return {bpf.progs.try_timer};
    case Trial::Tasks:
      return {bpf.progs.try_tasks};
    case Trial::Fentry:
      return {bpf.progs.try_fentry};
    case Trial::SystemCalls:
      return {bpf.progs.try_system_calls};
    case Trial::Kprobe:
      return {bpf.progs.try_kprobe};
  }
  return {};
}

// Probes begin and return of a function of ours and calls it: both have to tell.
int probe_ourselves(const try_hooks_bpf& bpf, Mechanism mechanism) {
  const UniqueFd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  const auto offset = own_offset(probed_by_itself);
  if (!file || !offset) return file ? ENOENT : errno;
  auto ring = EventRing::open(bpf.maps.ring);
  if (!ring) return errno ? errno : ENOTSUP;
  const Probe probe{*offset, 0};
  const ProbedFile own{file.get(), static_cast<uint32_t>(::getpid())};
  const Attached entry = attach_probes(bpf.progs.try_probe, own, {&probe, 1}, false, mechanism);
  if (entry.error || !entry.refused.empty()) return entry.error ? entry.error : ENOEXEC;
  const Attached end = attach_probes(bpf.progs.try_return_probe, own, {&probe, 1}, true, mechanism);
  if (end.error || !end.refused.empty()) return end.error ? end.error : ENOEXEC;
  probed_by_itself();
  size_t events = 0;
  while (ring->drain([&](std::span<const std::byte>) { ++events; })) {
  }
  return events >= 2 ? 0 : ENODATA;
}

int error_of(const Link& link) { return link ? 0 : errno; }

int attach_for_a_moment(const try_hooks_bpf& bpf, Trial trial) {
  switch (trial) {
    case Trial::UprobeMulti:
      return probe_ourselves(bpf, Mechanism::UprobeMulti);
    case Trial::PerfEvent:
      return probe_ourselves(bpf, Mechanism::PerfEvent);
    case Trial::Timer:
      return error_of(attach_timer(bpf.progs.try_timer, ::sched_getcpu(), 1));
    case Trial::Tasks:
      return error_of(Link(bpf_program__attach_iter(bpf.progs.try_tasks, nullptr)));
    default:
      return error_of(Link(bpf_program__attach(programs_of(bpf, trial).front())));
  }
}

}  // namespace

int try_out(Trial trial) {
  const TryHooks hooks =
      load_try_hooks([trial](const try_hooks_bpf& bpf) { return programs_of(bpf, trial); },
                     trial == Trial::PerfEvent ? Mechanism::PerfEvent : Mechanism::UprobeMulti);
  return hooks.error ? hooks.error : attach_for_a_moment(*hooks.bpf.get(), trial);
}

Trials Trials::run() {
  Trials trials;
  for (size_t i = 0; i < kTrials; ++i) trials.errors_[i] = try_out(static_cast<Trial>(i));
  return trials;
}

}  // namespace dbtrace::attach
