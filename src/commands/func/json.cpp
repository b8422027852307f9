// One JSON object a line; docs/func.md describes the members.
#include <fmt/format.h>

#include "src/commands/func/report.h"
#include "src/output/clock_text.h"
#include "src/output/digits.h"
#include "src/output/json_writer.h"

namespace dbtrace::commands {
namespace {

using output::JsonObject;
using output::kNanosecondsPerSecond;

class Json final : public FuncReport {
 public:
  void counts(const Span& span, std::span<const CallCount> rows, std::string& out) override {
    for (const CallCount& row : rows) {
      JsonObject object(out);
      add_span(span, object, out);
      add_function(*row.function, object, out);
      if (row.thread) {
        object.number("pid", row.thread->pid);
        object.number("tid", row.thread->tid);
        object.string("thread", row.thread->name);
      }
      object.number("calls", row.calls);
      object.end();
      out += '\n';
    }
  }

  void durations(const Span& span, std::span<const Durations> rows, std::string& out) override {
    for (const Durations& row : rows) {
      JsonObject object(out);
      add_span(span, object, out);
      add_function(*row.function, object, out);
      object.number("calls", row.numbers.calls);
      object.number("timed", row.numbers.finished);
      add_quantiles(row, object);
      object.key("buckets");
      add_buckets(row.histogram, out);
      object.end();
      out += '\n';
    }
  }

  void call(const Call& call, uint64_t time_ns, const attach::PlannedFunction& function,
            std::span<const Argument> arguments, std::string& out) override {
    JsonObject object(out);
    add_time("time", time_ns, object, out);
    object.number("pid", call.pid);
    object.number("tid", call.tid);
    add_function(function, object, out);
    object.key("args");
    JsonObject values(out);
    for (size_t i = 0; i < arguments.size(); ++i) {
      values.key(arguments[i].label);
      append_json_value(out, arguments[i], call.values[i]);
    }
    values.end();
    add_labels("unreadable", &Call::Value::unreadable, call, arguments, object, out);
    add_labels("cut", &Call::Value::cut, call, arguments, object, out);
    object.end();
    out += '\n';
  }

 private:
  void add_time(std::string_view key, uint64_t time_ns, JsonObject& object, std::string& out) {
    object.key(key);
    out += '"';
    out += clock_.at(time_ns / kNanosecondsPerSecond);
    out += '.';
    output::append_zero_padded(out, time_ns % kNanosecondsPerSecond, 9);
    out += "Z\"";
  }

  void add_span(const Span& span, JsonObject& object, std::string& out) {
    object.string("span", span.total ? "total" : "interval");
    add_time("end", span.end_ns, object, out);
    object.number("length_ns", span.length_ns);
  }

  static void add_function(const attach::PlannedFunction& function, JsonObject& object,
                           std::string& out) {
    object.string("function", function.name);
    if (function.also.empty()) return;
    object.key("also");
    std::string_view separator = "[";
    for (const std::string& name : function.also) {
      out += separator;
      (void)output::append_json_string(out, name);
      separator = ",";
    }
    out += ']';
  }

  static void add_quantiles(const Durations& row, JsonObject& object) {
    const bool any = row.numbers.finished > 0;
    const auto add = [&](std::string_view key, uint64_t value) {
      any ? object.number(key, value) : object.null(key);
    };
    add("mean_ns", any ? row.numbers.total_ns / row.numbers.finished : 0);
    add("p50_ns", row.histogram.quantile(0.5));
    add("p90_ns", row.histogram.quantile(0.9));
    add("p99_ns", row.histogram.quantile(0.99));
    add("p999_ns", row.histogram.quantile(0.999));
    add("max_ns", row.histogram.at_most());
  }

  static void add_buckets(const model::Histogram& histogram, std::string& out) {
    out += '[';
    bool first = true;
    for (size_t bucket = 0; bucket < histogram.counts().size(); ++bucket) {
      if (histogram.counts()[bucket] == 0) continue;
      out += fmt::format("{}[{},{},{}]", first ? "" : ",", model::Histogram::least(bucket),
                         model::Histogram::greatest(bucket), histogram.counts()[bucket]);
      first = false;
    }
    out += ']';
  }

  // Which arguments something is true of; no member when it is of none.
  static void add_labels(std::string_view key, bool Call::Value::*what, const Call& call,
                         std::span<const Argument> arguments, JsonObject& object,
                         std::string& out) {
    std::string labels;
    for (size_t i = 0; i < arguments.size(); ++i)
      if (call.values[i].*what)
        labels += fmt::format("{}\"{}\"", labels.empty() ? "" : ",", arguments[i].label);
    if (labels.empty()) return;
    object.key(key);
    out += "[" + labels + "]";
  }

  output::ClockText clock_{output::Zone::Utc, "%Y-%m-%dT%H:%M:%S"};
};

}  // namespace

std::unique_ptr<FuncReport> func_json() { return std::make_unique<Json>(); }

}  // namespace dbtrace::commands
