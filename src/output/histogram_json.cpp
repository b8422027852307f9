#include "src/output/histogram_json.h"

#include <fmt/format.h>

#include "src/output/digits.h"

namespace dbtrace::output {
namespace {

void append_all_buckets(const model::Histogram& histogram, const model::Histogram* marked,
                        std::string& out) {
  out += '[';
  bool first = true;
  for (size_t bucket = 0; bucket < histogram.counts().size(); ++bucket) {
    if (histogram.counts()[bucket] == 0) continue;
    out += fmt::format("{}[{},{},{}", first ? "" : ",", model::Histogram::least(bucket),
                       model::Histogram::greatest(bucket), histogram.counts()[bucket]);
    if (marked)
      out += fmt::format(",{}", bucket < marked->counts().size() ? marked->counts()[bucket] : 0);
    out += ']';
    first = false;
  }
  out += ']';
}

}  // namespace

void JsonTime::add(std::string_view key, uint64_t time_ns, JsonObject& object, std::string& out) {
  object.key(key);
  out += '"';
  out += clock_.at(time_ns / kNanosecondsPerSecond);
  out += '.';
  append_zero_padded(out, time_ns % kNanosecondsPerSecond, 9);
  out += "Z\"";
}

void add_percentiles(const model::Histogram& histogram, std::optional<uint64_t> total_ns,
                     JsonObject& object, std::optional<uint64_t> max_ns) {
  const bool any = histogram.count() > 0;
  const auto add = [&](std::string_view key, uint64_t value) {
    any ? object.number(key, value) : object.null(key);
  };
  if (total_ns) add("mean_ns", any ? *total_ns / histogram.count() : 0);
  const uint64_t greatest = max_ns.value_or(histogram.at_most());
  add("p50_ns", histogram.quantile(0.5, greatest));
  add("p90_ns", histogram.quantile(0.9, greatest));
  add("p99_ns", histogram.quantile(0.99, greatest));
  add("p999_ns", histogram.quantile(0.999, greatest));
  add("max_ns", greatest);
}

void append_buckets(const model::Histogram& histogram, std::string& out) {
  append_all_buckets(histogram, nullptr, out);
}

void append_buckets(const model::Histogram& histogram, const model::Histogram& marked,
                    std::string& out) {
  append_all_buckets(histogram, &marked, out);
}

}  // namespace dbtrace::output
