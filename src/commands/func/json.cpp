// One JSON object a line; docs/func.md describes the members.
#include <fmt/format.h>

#include "src/commands/func/report.h"
#include "src/output/histogram_json.h"
#include "src/output/json_writer.h"

namespace dbtrace::commands {
namespace {

using output::JsonObject;

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
      output::add_percentiles(row.histogram, row.numbers.total_ns, object);
      object.key("buckets");
      output::append_buckets(row.histogram, out);
      object.end();
      out += '\n';
    }
  }

  void call(const Call& call, uint64_t time_ns, const attach::PlannedFunction& function,
            std::span<const Argument> arguments, std::string& out) override {
    JsonObject object(out);
    time_.add("time", time_ns, object, out);
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
  void add_span(const Span& span, JsonObject& object, std::string& out) {
    object.string("span", span.total ? "total" : "interval");
    time_.add("end", span.end_ns, object, out);
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

  output::JsonTime time_;
};

}  // namespace

std::unique_ptr<FuncReport> func_json() { return std::make_unique<Json>(); }

}  // namespace dbtrace::commands
