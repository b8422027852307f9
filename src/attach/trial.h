// What this kernel allows this process, found out by doing it for a moment to dbtrace
// itself: a kernel's version does not tell.
#pragma once

#include <array>
#include <cstddef>

namespace dbtrace::attach {

enum class Trial {
  UprobeMulti,  // probes at begin and return of a function, and their events in a ring buffer
  PerfEvent,    // the same
  Scheduler,    // tracepoints of the scheduler
  Timer,        // a perf event that fires now and then
  Tasks,        // a walk of all threads
  Fentry,
  SystemCalls,
  Kprobe,
};
inline constexpr size_t kTrials = 8;

// The error number with which the kernel refuses; 0: it does not. Takes some 20 ms.
[[nodiscard]] int try_out(Trial trial);

// What came of each.
class Trials {
 public:
  // All of them.
  [[nodiscard]] static Trials run();

  [[nodiscard]] int error(Trial trial) const { return errors_[static_cast<size_t>(trial)]; }
  [[nodiscard]] bool allowed(Trial trial) const { return error(trial) == 0; }
  void set(Trial trial, int error_number) { errors_[static_cast<size_t>(trial)] = error_number; }

 private:
  std::array<int, kTrials> errors_{};
};

}  // namespace dbtrace::attach
