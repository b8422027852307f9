// What `dbtrace func` shows while its probes are there: from numbers and events to bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "src/attach/function_plan.h"
#include "src/attach/function_tracer.h"
#include "src/commands/func/arguments.h"
#include "src/commands/func/counting.h"
#include "src/commands/func/func.h"
#include "src/commands/func/report.h"
#include "src/commands/run.h"
#include "src/commands/wall_clock.h"
#include "src/output/writer.h"
#include "symbols/result.h"

namespace dbtrace::commands {

// Not thread-safe. What it is given must outlive it.
class FuncLog {
 public:
  FuncLog(const FuncOptions& options, const attach::FunctionPlan& plan,
          const std::vector<Argument>& arguments, attach::FunctionTracer& tracer,
          output::Writer& writer);

  // The terminal has another size.
  void use_width() { report_->set_width(writer_.width()); }
  // Several times a second.
  [[nodiscard]] Tick tick();
  // After the probes are gone.
  void finish();

  [[nodiscard]] output::WriteStatus status() const { return status_; }
  // What was seen, and everything that was lost.
  [[nodiscard]] Result<std::string> summary() const;

 private:
  bool drain();
  void report(const Span& span);
  void flush();

  const FuncOptions& options_;
  const attach::FunctionPlan& plan_;
  const std::vector<Argument>& arguments_;
  attach::FunctionTracer& tracer_;
  output::Writer& writer_;
  std::unique_ptr<FuncReport> report_;
  Growth growth_;
  uint64_t begin_ = nanoseconds_of(CLOCK_MONOTONIC);
  uint64_t interval_begin_ = begin_;
  uint64_t interval_ns_ = 0;  // 0: none
  std::string buffer_;
  uint64_t pending_ = 0;  // calls in the buffer
  uint64_t shown_ = 0;
  uint64_t malformed_ = 0;
  output::WriteStatus status_ = output::WriteStatus::Ok;
};

}  // namespace dbtrace::commands
