// What `dbtrace func` found, as text or as JSON lines.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "src/attach/function_plan.h"
#include "src/attach/function_tracer.h"
#include "src/commands/func/func.h"
#include "src/commands/func/arguments.h"
#include "src/commands/span.h"
#include "src/model/histogram.h"

namespace dbtrace::commands {

struct CallCount {
  const attach::PlannedFunction* function = nullptr;
  uint64_t calls = 0;
  const attach::ThreadCalls* thread = nullptr;  // whose calls; nullptr: everybody's
};

struct Durations {
  const attach::PlannedFunction* function = nullptr;
  attach::FunctionNumbers numbers;
  model::Histogram histogram;  // of nanoseconds
};

// Appends to a buffer; who flushes where is the writer's business. Not for use by
// several threads at once.
class FuncReport {
 public:
  virtual ~FuncReport() = default;
  // The terminal's width, 0 for none; when it has changed, too.
  virtual void set_width(size_t columns) { (void)columns; }
  // Rows come in the order in which they are to be shown.
  virtual void counts(const Span& span, std::span<const CallCount> rows, std::string& out) = 0;
  virtual void durations(const Span& span, std::span<const Durations> rows, std::string& out) = 0;
  // `time_ns` is the wall clock's.
  virtual void call(const Call& call, uint64_t time_ns, const attach::PlannedFunction& function,
                    std::span<const Argument> arguments, std::string& out) = 0;
};

[[nodiscard]] std::unique_ptr<FuncReport> make_func_report(FuncFormat format);
// Of each format, for make_func_report().
[[nodiscard]] std::unique_ptr<FuncReport> func_text();
[[nodiscard]] std::unique_ptr<FuncReport> func_json();

}  // namespace dbtrace::commands
