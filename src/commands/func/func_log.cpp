#include "src/commands/func/func_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "src/output/counted.h"

namespace dbtrace::commands {
namespace {

constexpr uint64_t kDefaultInterval = 1'000'000'000;
constexpr size_t kFlushBytes = 64 * 1024;

}  // namespace

FuncLog::FuncLog(const FuncOptions& options, const attach::FunctionPlan& plan,
                 const std::vector<Argument>& arguments, attach::FunctionTracer& tracer,
                 output::Writer& writer)
    : options_(options),
      plan_(plan),
      arguments_(arguments),
      tracer_(tracer),
      writer_(writer),
      report_(make_func_report(options.format)) {
  // Histograms are shown at the end, unless they are asked for more often.
  if (arguments_.empty() && (!options.latency || options.interval_ns))
    interval_ns_ = options.interval_ns.value_or(kDefaultInterval);
  use_width();
}

Tick FuncLog::tick() {
  bool more = false;
  if (!arguments_.empty()) {
    more = drain();
  } else if (const uint64_t now = nanoseconds_of(CLOCK_MONOTONIC);
             interval_ns_ && now >= interval_begin_ + interval_ns_) {
    report({false, nanoseconds_of(CLOCK_REALTIME), now - std::exchange(interval_begin_, now)});
  }
  flush();
  return status_ != output::WriteStatus::Ok ? Tick::End : more ? Tick::Busy : Tick::Idle;
}

void FuncLog::finish() {
  if (!arguments_.empty()) {
    while (drain()) {
    }
  } else {
    growth_ = {};
    report({true, nanoseconds_of(CLOCK_REALTIME), nanoseconds_of(CLOCK_MONOTONIC) - begin_});
  }
  flush();
}

bool FuncLog::drain() {
  const uint64_t offset = wall_clock_offset();
  return tracer_.drain([&](std::span<const std::byte> event) {
    const auto call = decode_call(event, arguments_.size());
    if (!call || call->function >= plan_.functions.size()) {
      ++malformed_;
      return;
    }
    report_->call(*call, call->time_ns + offset, plan_.functions[call->function], arguments_,
                  buffer_);
    ++pending_;
    if (buffer_.size() >= kFlushBytes) flush();
  });
}

void FuncLog::report(const Span& span) {
  if (options_.by_thread) {
    const auto threads = growth_.of(tracer_.threads());
    report_->counts(span, thread_counts(plan_, threads), buffer_);
  } else if (options_.latency) {
    report_->durations(
        span, durations(plan_, growth_.of(tracer_.numbers()), growth_.of(tracer_.durations())),
        buffer_);
  } else {
    report_->counts(span, call_counts(plan_, growth_.of(tracer_.numbers())), buffer_);
  }
}

void FuncLog::flush() {
  std::string_view rest = buffer_;
  if (status_ == output::WriteStatus::Ok && !rest.empty()) status_ = writer_.write(rest);
  if (status_ == output::WriteStatus::Ok) shown_ += pending_;
  pending_ = 0;
  buffer_.clear();
}

Result<std::string> FuncLog::summary() const {
  const auto told = tracer_.counters();
  if (!told) return tl::unexpected(told.error());
  const attach::FunctionCounters& counters = *told;
  uint64_t calls = 0;
  size_t called = 0;
  for (const attach::FunctionNumbers& numbers : tracer_.numbers()) {
    calls += numbers.calls;
    called += numbers.calls > 0;
  }
  std::string text = output::counted(calls, "call") + " of " + output::counted(called, "function");
  if (!arguments_.empty())
    text += fmt::format(": {} shown, {} lost", shown_, calls - std::min(calls, shown_));
  text += "\n";
  const auto lost = [&](uint64_t count, std::string_view what) {
    if (count > 0) text += fmt::format("  {} {}\n", count, what);
  };
  lost(counters[DBT_FUNC_LOST_RING_FULL], "ring full: calls came faster than they can be shown");
  lost(counters[DBT_FUNC_LOST_NO_STATE], "map full: no memory for a call's state in the kernel");
  lost(counters[DBT_FUNC_LOST_THREADS], "of further threads: too many to count each");
  lost(counters[DBT_FUNC_LOST_BUCKETS], "durations that no histogram has: too many different ones");
  lost(malformed_, "malformed: events that could not be decoded; please report this");
  return text;
}

}  // namespace dbtrace::commands
