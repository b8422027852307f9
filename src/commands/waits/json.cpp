// One JSON object an interval; docs/waits.md describes the members.
#include <utility>

#include "src/commands/waits/report.h"
#include "src/output/cause_names.h"
#include "src/output/histogram_json.h"
#include "src/output/json_writer.h"

namespace dbtrace::commands {
namespace {

using output::JsonObject;

class Json final : public WaitsReport {
 public:
  void add(const WaitsInterval& interval, std::string& out) override {
    JsonObject object(out);
    object.string("span", interval.total ? "total" : "interval");
    time_.add("end", interval.end_ns, object, out);
    object.number("length_ns", interval.length_ns);
    object.number("queries", interval.queries);
    object.number("total_ns", interval.sums.total_ns());
    object.key("causes");
    JsonObject causes(out);
    for (const output::CauseName& name : output::kCauseNames) {
      causes.key(name.name());
      add_cause(interval, static_cast<size_t>(name.cause), out);
    }
    causes.end();
    if (!interval.sums.events.empty()) add_events(interval, object, out);
    object.end();
    out += '\n';
  }

 private:
  // Only of servers that say what they wait for.
  static void add_events(const WaitsInterval& interval, JsonObject& object, std::string& out) {
    object.key("wait_events");
    out += '[';
    bool first = true;
    for (const auto& [event, sums] : interval.sums.events_by_time()) {
      if (!std::exchange(first, false)) out += ',';
      JsonObject entry(out);
      entry.string("type", event.type);
      entry.string("event", event.event);
      entry.number("ns", sums.ns);
      if (!interval.total) entry.number("now", sums.now);
      entry.number("waits", sums.waits);
      entry.end();
    }
    out += ']';
  }

  static void add_cause(const WaitsInterval& interval, size_t cause, std::string& out) {
    JsonObject object(out);
    const model::Histogram& lengths = interval.sums.lengths[cause];
    object.number("ns", interval.sums.ns[cause]);
    if (!interval.total) object.number("now", interval.sums.now[cause]);
    if (static_cast<model::Cause>(cause) != model::Cause::OnCpu) {
      object.number("waits", lengths.count());
      // `ns` is not their sum: it has what still waits, and not what was waited before.
      output::add_percentiles(lengths, {}, object);
      object.key("buckets");
      output::append_buckets(lengths, out);
    }
    object.end();
  }

  output::JsonTime time_;
};

}  // namespace

std::unique_ptr<WaitsReport> waits_json() { return std::make_unique<Json>(); }

}  // namespace dbtrace::commands
