// One JSON object an interval; docs/histogram.md describes the members.
#include <fmt/format.h>

#include <algorithm>

#include "src/commands/histogram/report.h"
#include "src/output/budget_json.h"
#include "src/output/histogram_json.h"
#include "src/output/json_writer.h"
#include "src/output/shown.h"

namespace dbtrace::commands {
namespace {

using model::Sums;
using output::JsonObject;

class Json final : public HistogramWriter {
 public:
  Json(size_t top, const kinds::Slices* slices) : top_(top), slices_(slices) {}

  void add(const KindReport& report, std::string& out) override {
    JsonObject object(out);
    object.string("span", report.span.total ? "total" : "interval");
    time_.add("end", report.span.end_ns, object, out);
    object.number("length_ns", report.span.length_ns);
    object.string("by", name_of(report.kinds.options().by));
    object.string("fingerprint", name_of(report.kinds.options().mode));
    object.number("count", report.all.count);
    object.number("errors", report.all.errors);
    object.number("total_ns", report.all.total_ns);
    object.number("lost", report.losses.lost);
    object.number("without_text", report.losses.without_text);
    object.number("without_budget", report.losses.without_budget);
    const size_t shown = top_ ? std::min(top_, report.ranked.size()) : report.ranked.size();
    object.number("kinds_left_out", report.ranked.size() - shown);
    object.key("kinds");
    out += '[';
    for (size_t i = 0; i < shown; ++i) {
      if (i) out += ',';
      kind(report.kinds, report.ranked[i], out);
    }
    out += ']';
    object.end();
    out += '\n';
  }

 private:
  void kind(const kinds::Kinds& kinds, const kinds::Ranked& ranked, std::string& out) {
    const kinds::Kind& kind = kinds[ranked.kind];
    const Sums& sums = *ranked.sums;
    JsonObject object(out);
    object.string("id", kind.id);
    object.string("text", kind.text);
    object.number("count", sums.count);
    object.number("errors", sums.errors);
    object.number("total_ns", sums.total_ns);
    object.number("mean_ns", sums.mean_ns());
    object.number("p50_ns", sums.quantile_ns(0.5));
    object.number("p95_ns", sums.quantile_ns(0.95));
    object.number("p99_ns", sums.quantile_ns(0.99));
    object.number("max_ns", sums.max_ns);
    known("rows_sent", sums.rows_sent, sums.rows_sent_known, object);
    known("rows_examined", sums.rows_examined, sums.rows_examined_known, object);
    object.key("histogram");
    output::append_buckets(sums.durations, out);
    if (slices_) slices(slices_->of(ranked.kind), object, out);
    if (sums.budgets) budget(sums, object, out);
    if (sums.slowest) slowest(*sums.slowest, object, out);
    object.end();
  }

  static void known(std::string_view key, uint64_t value, uint64_t times, JsonObject& object) {
    times ? object.number(key, value) : object.null(key);
  }

  // [[[least,count],…],…]
  static void slices(const std::vector<kinds::Slice>& slices, JsonObject& object,
                     std::string& out) {
    object.key("slices");
    out += '[';
    for (const kinds::Slice& slice : slices) {
      if (&slice != &slices.front()) out += ',';
      out += '[';
      for (const kinds::SliceCount& each : slice)
        out += fmt::format("{}[{},{}]", &each == &slice.front() ? "" : ",",
                           model::Histogram::least(each.bucket * kinds::kSliceWidth), each.count);
      out += ']';
    }
    out += ']';
  }

  static void budget(const Sums& sums, JsonObject& object, std::string& out) {
    object.key("budget");
    JsonObject budget(out);
    budget.number("count", sums.budgets);
    output::add_causes(sums.budget(), budget);
    output::add_locks(sums.budget(), budget, out);
    budget.end();
    if (sums.io_known == 0) return object.null("io");
    object.key("io");
    JsonObject io(out);
    output::add_operations(sums.io, io);
    io.end();
  }

  void slowest(const model::Example& example, JsonObject& object, std::string& out) {
    const output::ShownText text = output::shown_text(example.text, example.text_length, redacted_);
    object.key("slowest");
    JsonObject slowest(out);
    time_.add("start", example.start_ns, slowest, out);
    slowest.number("duration_ns", example.duration_ns);
    slowest.number("pid", example.pid);
    example.connection_id ? slowest.number("connection_id", *example.connection_id)
                          : slowest.null("connection_id");
    slowest.string("query", text.visible, text.bytes);
    slowest.boolean("truncated", text.missing_bytes > 0);
    slowest.end();
  }

  size_t top_;
  const kinds::Slices* slices_;
  output::JsonTime time_;
  std::string redacted_;
};

}  // namespace

std::unique_ptr<HistogramWriter> histogram_json(size_t top, const kinds::Slices* slices) {
  return std::make_unique<Json>(top, slices);
}

}  // namespace dbtrace::commands
