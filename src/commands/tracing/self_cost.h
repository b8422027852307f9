// What tracing costs, as dbtrace measures it of itself.
#pragma once

#include <chrono>
#include <cstdint>
#include <future>
#include <map>
#include <optional>
#include <string>

#include "src/attach/mechanism.h"
#include "src/attach/run_cost.h"
#include "src/commands/tracing/traced.h"
#include "symbols/result.h"

namespace dbtrace::commands {

// Processor time of a stretch of time, in nanoseconds.
struct Cost {
  uint64_t length_ns = 0;    // of the stretch, by the clock on the wall
  uint64_t programs_ns = 0;  // in BPF programs, and…
  uint64_t traps_ns = 0;     // …in the traps that lead to them: the least that it can be
  uint64_t hits = 0;         // of probes in the server: the traps
  uint64_t own_ns = 0;       // of dbtrace
  uint64_t server_ns = 0;    // of all traced servers, what happens in the kernel for them included

  Cost& operator+=(const Cost& other);
  [[nodiscard]] uint64_t all_ns() const { return programs_ns + traps_ns + own_ns; }
  // A part of the servers' time, which counts as one core at least: what little an idle server
  // does is no measure.
  [[nodiscard]] double of_servers() const;
};

// "0.4 %", "12 %".
[[nodiscard]] std::string percent_text(double share);

// The kernel's part is measured while the kernel counts runs, which costs something, too: in the
// first ten seconds, or all the time. Not thread-safe.
class SelfCost {
 public:
  explicit SelfCost(bool all_the_time) : all_the_time_(all_the_time) {}
  // Before there are probes, as it takes a while. Needs rights that a run need not keep.
  void prepare(attach::Mechanism mechanism);
  // From now on.
  [[nodiscard]] Result<void> begin(const Traced& traced);
  // Why the kernel does not count; empty: it does.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }
  // Several times a second. The cost of a stretch that was measured to its end.
  [[nodiscard]] Result<std::optional<Cost>> tick(const Traced& traced);
  // Before the probes go: measures no more.
  [[nodiscard]] Result<void> end(const Traced& traced);

  // The stretches that were measured, together; none: nothing was.
  [[nodiscard]] const std::optional<Cost>& measured() const { return measured_; }
  // "0.4 % of a core", of the stretch that was measured last; empty: none was yet.
  [[nodiscard]] std::string latest_text() const;
  // "0.4 % of a core" and what of it is where, for the account at the end; without a line's end.
  [[nodiscard]] std::string text() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Reading {
    Clock::time_point time;
    attach::RunCost runs;
    uint64_t own_ns = 0;
    std::map<uint32_t, uint64_t> server_ns;  // by process
  };
  [[nodiscard]] static Result<Reading> read(const Traced& traced);
  [[nodiscard]] Result<void> begin_stretch(const Traced& traced);
  [[nodiscard]] Result<Cost> end_stretch(const Traced& traced);

  bool all_the_time_;
  attach::RunCounting counting_;
  std::string why_not_;  // the kernel does not count
  attach::TrapCost trap_;
  std::future<void> removing_;      // the probes that were measured
  std::optional<Reading> stretch_;  // that is being measured: its begin
  Clock::time_point begin_{};
  uint64_t begin_own_ns_ = 0;
  uint64_t run_ns_ = 0, run_own_ns_ = 0;  // of the whole run, when it has ended
  std::optional<Cost> measured_, latest_;
  bool stopped_ = false;  // the run goes on, the kernel counts no more
};

}  // namespace dbtrace::commands
