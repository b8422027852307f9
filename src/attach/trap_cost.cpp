#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <vector>

#include "src/attach/clock.h"
#include "src/attach/own_code.h"
#include "src/attach/preflight.h"
#include "src/attach/probes.h"
#include "src/attach/run_cost.h"
#include "src/attach/try_hooks.h"

// No compiler decides what it begins with.
asm(".text\n.p2align 4\n.globl dbtrace_trap_place\n.type dbtrace_trap_place, %function\n"
    "dbtrace_trap_place:\n\tnop\n\tret\n.size dbtrace_trap_place, .-dbtrace_trap_place\n");
extern "C" void dbtrace_trap_place();

namespace dbtrace::attach {
namespace {

// The median of some rounds: others use the machine, too.
uint64_t call_ns() {
  constexpr size_t kCalls = 64;
  std::array<uint64_t, 15> rounds{};
  for (uint64_t& round : rounds) {
    const uint64_t begin = nanoseconds_of(CLOCK_MONOTONIC);
    for (size_t i = 0; i < kCalls; ++i) dbtrace_trap_place();
    round = (nanoseconds_of(CLOCK_MONOTONIC) - begin) / kCalls;
  }
  std::ranges::nth_element(rounds, rounds.begin() + rounds.size() / 2);
  return rounds[rounds.size() / 2];
}

Result<void> measure(Mechanism mechanism, const std::function<void(TrapCost)>& measured) {
  using Programs = std::vector<bpf_program*>;
  const TryHooks hooks = load_try_hooks(
      [](const try_hooks_bpf& bpf) {
        return Programs{bpf.progs.bare_probe, bpf.progs.bare_return_probe};
      },
      mechanism);
  if (hooks.error)
    return tl::unexpected(explain_failure("cannot load the BPF programs", hooks.error));
  const auto& programs = hooks.bpf.get()->progs;
  const UniqueFd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  const auto offset = own_offset(dbtrace_trap_place);
  if (!file || !offset) return fail("cannot find dbtrace's own code in its file");
#if defined(__x86_64__)
  constexpr uint64_t kNop = 1;
#else
  constexpr uint64_t kNop = 4;
#endif
  const Probe begin{*offset, 0}, exit{*offset + kNop, 0};
  const ProbedFile own{file.get(), static_cast<uint32_t>(::getpid())};
  const auto attach = [&](const bpf_program* program, const Probe& probe, bool at_return = false) {
    return attach_probes(program, own, {&probe, 1}, at_return, mechanism);
  };
  const uint64_t without = call_ns();
  const Attached entry = attach(programs.bare_probe, begin);
  const uint64_t with_entry = call_ns();
  const Attached end = attach(programs.bare_return_probe, begin, true);
  const uint64_t with_both = call_ns();
  const Attached stepped = attach(programs.bare_probe, exit);
  const uint64_t with_all = call_ns();
  for (const Attached* each : {&entry, &end, &stepped})
    if (each->links.empty())
      return tl::unexpected(explain_failure("cannot probe dbtrace itself", each->error));
  const auto beyond = [](uint64_t more, uint64_t less) { return more > less ? more - less : 0; };
  measured({.entry = beyond(with_entry, without),
            .stepped = beyond(with_all, with_both),
            .at_return = beyond(with_both, with_entry)});
  return {};
}

}  // namespace

Result<void> measure_traps(Mechanism mechanism, const std::function<void(TrapCost)>& measured) {
  Result<void> done;
  for (const Mechanism candidate : candidates(mechanism))
    if ((done = measure(candidate, measured))) break;
  return done;
}

}  // namespace dbtrace::attach
