// What BPF programs cost the machine: the kernel counts it while it is told to, and the traps
// that lead to them are measured.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "src/attach/mechanism.h"
#include "symbols/result.h"
#include "symbols/unique.h"

namespace dbtrace::attach {

// Counted since the programs were loaded, but only while a RunCounting lived.
struct RunCost {
  uint64_t ns = 0;       // in programs
  uint64_t entries = 0;  // of them by a probe on an instruction of the server…
  uint64_t stepped = 0;  // …of these, where the kernel steps over the instruction…
  uint64_t returns = 0;  // …and by a probe on a return of its functions

  [[nodiscard]] uint64_t hits() const { return entries + returns; }
  RunCost& operator+=(const RunCost& other);
  RunCost& operator-=(const RunCost& earlier);
};

// While one lives, the kernel reads its clock before and after each BPF program, everybody's
// on the machine: some tens of nanoseconds a run. Needs CAP_SYS_ADMIN.
class RunCounting {
 public:
  [[nodiscard]] static Result<RunCounting> begin();
  RunCounting() = default;

 private:
  UniqueFd counting_;
};

// What a trap takes before and after its program, in nanoseconds.
struct TrapCost {
  uint64_t entry = 0;      // on an instruction that the kernel emulates
  uint64_t stepped = 0;    // on one that it steps over
  uint64_t at_return = 0;  // beyond the entry's

  [[nodiscard]] uint64_t of(const RunCost& runs) const {
    // What is stepped over is counted by others, a moment later.
    const uint64_t dear = std::min(runs.stepped, runs.entries);
    return (runs.entries - dear) * entry + dear * stepped + runs.returns * at_return;
  }
};

// Measured on this machine, on a function of dbtrace's own that begins with a `nop`, which the
// kernel emulates, and ends with a return, which it steps over. A busy server pays more, too: its
// caches are not warm as here. So this is the least that it can be. `measured` is told while the
// probes are still there: a kernel that is busy takes seconds to remove them.
[[nodiscard]] Result<void> measure_traps(Mechanism mechanism,
                                         const std::function<void(TrapCost)>& measured);

}  // namespace dbtrace::attach
