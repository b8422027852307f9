// `dbtrace func`'s end of libbpf: puts a plan's probes in, tells what was counted,
// hands on the calls, and takes everything away. Nothing is pinned: when the
// process ends, however it ends, the kernel removes every probe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bpf/func_event.h"
#include "src/attach/function_plan.h"
#include "src/attach/mechanism.h"
#include "src/attach/run_cost.h"
#include "src/model/histogram.h"
#include "symbols/result.h"

namespace dbtrace::attach {

struct FunctionTracerOptions {
  uint32_t pid = 0;        // 0: every process that runs the file
  bool durations = false;  // the plan must have been made with them, too
  bool by_thread = false;
  std::vector<dbt_func_argument> arguments;  // not empty: each call is sent
  uint32_t ring_bytes = 8 * 1024 * 1024;     // a power of two, at least a page
  Mechanism mechanism = Mechanism::Auto;
};

// What has been counted so far of one function.
struct FunctionNumbers {
  uint64_t calls = 0;
  uint64_t finished = 0;
  uint64_t total_ns = 0;
};

struct ThreadCalls {
  uint32_t function = 0;  // index in the plan
  uint32_t pid = 0;
  uint32_t tid = 0;
  std::string name;  // the thread's own, when it was first seen
  uint64_t calls = 0;
};

using FunctionCounters = std::array<uint64_t, DBT_FUNC_COUNTERS>;
using CallHandler = std::function<void(std::span<const std::byte>)>;

// Not thread-safe. Functions are known by their index in the plan.
class FunctionTracer {
 public:
  // The kernel removes perf events one after the other, some 50 ms each.
  static constexpr size_t kMostPerfEvents = 100;

  // `binary` is the open file that the plan was made from. Errors say what the
  // kernel or the user's rights lack. Functions that the kernel takes no probe on
  // move to plan.not_probed; their index stays theirs, with no calls.
  [[nodiscard]] static Result<FunctionTracer> attach(int binary, FunctionPlan& plan,
                                                     const FunctionTracerOptions& options);
  FunctionTracer(FunctionTracer&&) noexcept;
  FunctionTracer& operator=(FunctionTracer&&) noexcept;
  ~FunctionTracer();

  [[nodiscard]] Mechanism mechanism() const;
  // Probed instructions and functions.
  [[nodiscard]] size_t probes() const;
  [[nodiscard]] size_t functions() const;

  [[nodiscard]] std::vector<FunctionNumbers> numbers() const;
  [[nodiscard]] std::vector<ThreadCalls> threads() const;
  // Durations in nanoseconds, by function.
  [[nodiscard]] std::vector<model::Histogram> durations() const;
  [[nodiscard]] Result<FunctionCounters> counters() const;
  // Of the programs since they were loaded, as far as the kernel has counted (RunCounting).
  [[nodiscard]] Result<RunCost> run_cost() const;

  // Calls with their arguments: as Tracer's ring_fd() and drain().
  [[nodiscard]] int ring_fd() const;
  [[nodiscard]] bool drain(const CallHandler& handler);

  // Stops counting at once and removes the probes.
  void detach();

 private:
  struct Impl;
  explicit FunctionTracer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dbtrace::attach
