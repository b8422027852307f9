#include <fmt/format.h>

#include <utility>

#include "src/commands/diff/diff.h"
#include "src/commands/diff/verdict_names.h"
#include "src/output/json_writer.h"

namespace dbtrace::commands {
namespace {

using output::JsonObject;

void run(std::string_view key, const std::string& file, const SavedRun& run, JsonObject& object,
         std::string& out) {
  object.key(key);
  JsonObject member(out);
  member.string("file", file);
  member.number("length_ns", run.length_ns);
  member.number("count", run.count);
  member.number("lost", run.lost);
  member.boolean("incomplete", run.incomplete);
  member.end();
}

void measured(std::string_view key, const std::optional<kinds::Measured>& values,
              JsonObject& object, std::string& out) {
  if (!values) return object.null(key);
  object.key(key);
  JsonObject member(out);
  member.number("count", values->count);
  member.number("total_ns", values->total_ns);
  member.number("mean_ns", values->mean_ns());
  member.number("p50_ns", values->durations.quantile(0.5, values->max_ns));
  member.number("p95_ns", values->durations.quantile(0.95, values->max_ns));
  member.number("p99_ns", values->durations.quantile(0.99, values->max_ns));
  member.number("max_ns", values->max_ns);
  member.end();
}

void real(std::string_view key, double value, JsonObject& object, std::string& out) {
  object.key(key);
  out += fmt::format("{:.6g}", value);
}

}  // namespace

void append_diff_json(const Comparison& comparison, const DiffOptions& options, std::string& out) {
  JsonObject object(out);
  run("before", options.before, comparison.before, object, out);
  run("after", options.after, comparison.after, object, out);
  real("alpha", options.alpha, object, out);
  real("min_change_percent", options.least_change_percent, object, out);
  object.key("kinds");
  out += '[';
  bool first = true;
  for (const kinds::Difference& difference : comparison.differences) {
    if (!options.all && !is_finding(difference.verdict)) continue;
    if (!std::exchange(first, false)) out += ',';
    const kinds::Pair& pair = comparison.pairs[difference.pair];
    JsonObject kind(out);
    kind.string("id", pair.id);
    kind.string("text", pair.text);
    kind.string("verdict", name_of(difference.verdict).json);
    real("p", difference.p, kind, out);
    real("superiority", difference.superiority, kind, out);
    real("seconds_per_second", difference.seconds_per_second, kind, out);
    measured("before", pair.before, kind, out);
    measured("after", pair.after, kind, out);
    kind.end();
  }
  out += ']';
  object.end();
  out += '\n';
}

}  // namespace dbtrace::commands
