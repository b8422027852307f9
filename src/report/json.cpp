#include "src/report/json.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "src/model/stack_profile.h"
#include "src/output/budget_text.h"
#include "src/output/shown.h"
#include "src/output/stacks/stack_sink.h"
#include "src/report/json_blocks.h"
#include "src/report/json_cells.h"
#include "src/report/json_list.h"
#include "src/report/places.h"
#include "src/stacks/frame_table.h"
#include "src/stacks/sampled.h"

namespace dbtrace::report {
namespace {

using output::JsonObject;

constexpr uint64_t kMillisecond_ns = 1'000'000;

model::StackProfile profile_of(const model::Query& query, std::string_view text,
                               stacks::FrameTable& frames) {
  model::StackProfile profile;
  profile.text = text;
  profile.duration_ns = query.duration_ns;
  if (query.budget) profile.budget = *query.budget;
  if (query.stacks) profile.samples = stacks::in_table(*query.stacks, frames);
  return profile;
}

class Json {
 public:
  Json(const About& about, const Collector& collector)
      : about_(about), collector_(collector), ranked_(collector.ranked()) {
    for (const kinds::Ranked& each : ranked_)
      if (each.kind != kinds::Kinds::kOther) kinds_.add(each.kind);
    for (const auto& entry : collector.tables().heaviest_first())
      tables_.add(std::string(entry.name));
    for (const auto& [event, sums] : collector.waits().events_by_time()) events_.add(event);
    std::vector<bool> shown(collector.kinds().size());
    for (size_t kind = 0; kind < shown.size(); ++kind)
      shown[kind] = kinds_.of(static_cast<uint32_t>(kind)) != kinds_.others();
    slow_ = collector.slow().of(shown);
  }

  std::string report() {
    std::string json;
    JsonObject object(json);
    about(object, json);
    timeline(object, json);
    object.key("kinds");
    kinds(json);
    object.key("cells");
    append_cells(collector_.buckets(), kinds_, json);
    tables(object, json);
    events(object, json);
    append_blocks(collector_, kinds_, object, json);
    object.key("slow");
    slow(json);
    object.end();
    return json;
  }

  std::string stacks() {
    stacks::FrameTable frames;
    const auto sink = output::make_page_data_sink(frames);
    std::string json;
    for (const SlowQuery& each : slow_)
      sink->add(profile_of(*each.query, cut(text_of(each)), frames), json);
    sink->finish(json);
    return json;
  }

 private:
  const std::string& text_of(const SlowQuery& each) const {
    return each.query->text_state == model::TextState::Present ? each.query->text
                                                               : collector_.kinds()[each.kind].text;
  }

  void about(JsonObject& object, std::string& json) {
    add_string(object, "file", about_.path);
    add_string(object, "program", about_.program);
    object.number("begin_ms", about_.begin_ns / kMillisecond_ns);
    object.number("end_ms", about_.end_ns / kMillisecond_ns);
    object.key("servers");
    List servers(json);
    for (const recording::ServerNote& server : about_.servers) servers.add(described(server));
    servers.end();
    object.key("incidents");
    List incidents(json);
    for (const recording::Incident& incident : about_.incidents) {
      List each(incidents.next());
      each.add(incident.at_ns / kMillisecond_ns).add(incident.condition).add(incident.value);
      each.end();
    }
    incidents.end();
    object.key("remarks");
    List remarks(json);
    for (const Remark& remark : remarks_on(about_)) {
      List each(remarks.next());
      each.add(remark.what).add(remark.meaning);
      each.end();
    }
    remarks.end();
  }

  void timeline(JsonObject& object, std::string& json) {
    const Timeline& timeline = collector_.timeline();
    object.number("from_ms", timeline.begin_ns / kMillisecond_ns);
    object.number("width_ms", timeline.width_ns / kMillisecond_ns);
    object.number("buckets", timeline.buckets);
    // Where each bucket of durations begins, and the last one ends.
    size_t last = 0;
    for (const Bucket& bucket : collector_.buckets())
      for (const Cell& cell : bucket.cells)
        if (!cell.durations.empty()) last = std::max<size_t>(last, cell.durations.back().bucket);
    object.key("least_ns");
    List least(json);
    for (size_t i = 0; i <= last + 1; ++i)
      least.add(model::Histogram::least(i * kinds::kSliceWidth));
    least.end();
  }

  void sums(JsonObject& object, const model::Sums& sums) {
    object.number("count", sums.count);
    object.number("errors", sums.errors);
    object.number("total_ns", sums.total_ns);
    object.number("max_ns", sums.max_ns);
    object.number("p50_ns", sums.quantile_ns(0.5));
    object.number("p95_ns", sums.quantile_ns(0.95));
    object.number("p99_ns", sums.quantile_ns(0.99));
  }

  void kinds(std::string& json) {
    List list(json);
    model::Sums others;
    for (const kinds::Ranked& each : ranked_) {
      if (kinds_.of(each.kind) == kinds_.others()) {
        others.merge(*each.sums);
        continue;
      }
      const kinds::Kind& kind = collector_.kinds()[each.kind];
      JsonObject object(list.next());
      add_string(object, "id", kind.id);
      add_string(object, "text", cut(kind.text));
      sums(object, *each.sums);
      object.end();
    }
    for (const auto& [text, of] :
         {std::pair<std::string_view, const model::Sums&>{"(all others)", others},
          {"(all)", collector_.all()}}) {
      JsonObject object(list.next());
      object.string("id", "");
      object.string("text", text);
      sums(object, of);
      object.end();
    }
    list.end();
  }

  // Names, and [bucket, name, operation, count, blocked, bytes, ns, max_ns]
  void tables(JsonObject& object, std::string& json) {
    object.key("tables");
    List names(json);
    size_t left = kPageTables;
    for (const auto& entry : collector_.tables().heaviest_first())
      if (left && left--) names.add(entry.name);
    names.add(std::string_view("(others)")).end();
    object.key("table_cells");
    List list(json);
    for (uint32_t bucket = 0; bucket < collector_.buckets().size(); ++bucket) {
      const Bucket& of = collector_.buckets()[bucket];
      model::IoCounts others = of.other_tables;
      for (const auto& [name, operations] : of.tables) {
        const uint32_t place = tables_.of(name);
        if (place == tables_.others())
          model::add_to(others, operations);
        else
          append(bucket, place, operations, list);
      }
      append(bucket, tables_.others(), others, list);
    }
    list.end();
  }

  static void append(uint32_t bucket, uint32_t table, const model::IoCounts& counts, List& list) {
    for (uint32_t operation = 0; operation < counts.size(); ++operation) {
      const model::IoCount& io = counts[operation];
      if (!io.count) continue;
      List each(list.next());
      each.add(bucket).add(table).add(operation).add(io.count).add(io.blocked);
      each.add(io.bytes).add(io.ns).add(io.max_ns).end();
    }
  }

  // Names, and [bucket, name, ns, waits]
  void events(JsonObject& object, std::string& json) {
    object.key("events");
    List names(json);
    size_t left = kPageEvents;
    for (const auto& [event, sums] : collector_.waits().events_by_time())
      if (left && left--)
        names.add(event.type.empty() ? event.event : event.type + ':' + event.event);
    names.add(std::string_view("(others)")).end();
    object.key("event_cells");
    List list(json);
    for (uint32_t bucket = 0; bucket < collector_.buckets().size(); ++bucket) {
      for (const auto& [event, sums] : collector_.buckets()[bucket].events) {
        List each(list.next());
        each.add(bucket).add(events_.of(event)).add(sums.ns).add(sums.waits).end();
      }
    }
    list.end();
  }

  void slow(std::string& json) {
    List list(json);
    for (const SlowQuery& each : slow_) {
      const model::Query& query = *each.query;
      JsonObject object(list.next());
      object.number("kind", kinds_.of(each.kind));
      object.number("bucket", each.bucket);
      object.number("start_ms", query.start_ns / kMillisecond_ns);
      optional(object, "connection", query.connection_id);
      optional(object, "error", query.error);
      optional(object, "rows", query.rows_sent);
      optional(object, "examined", query.rows_examined);
      add_string(object, "user", query.user.value_or(""));
      add_string(object, "host", output::shown_host(query).value_or(""));
      add_string(object, "database", query.database.value_or(""));
      object.boolean("budget", query.budget.has_value());
      if (query.blocker) {
        add_string(object, "blocker", output::who(*query.blocker));
        object.number("waited_ns", query.blocker->waited_ns);
      }
      object.end();
    }
    list.end();
  }

  template <typename Number>
  static void optional(JsonObject& object, std::string_view key,
                       const std::optional<Number>& value) {
    if (value)
      object.number(key, *value);
    else
      object.null(key);
  }

  const About& about_;
  const Collector& collector_;
  std::vector<kinds::Ranked> ranked_;
  Places<uint32_t> kinds_{kPageKinds};
  Places<std::string> tables_{kPageTables};
  Places<model::WaitEvent> events_{kPageEvents};
  std::vector<SlowQuery> slow_;
};

}  // namespace

PageData page_data(const About& about, const Collector& collector) {
  Json json(about, collector);
  return {json.report(), json.stacks()};
}

}  // namespace dbtrace::report
