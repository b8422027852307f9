#include "tests/otlp/told.h"

#include <algorithm>
#include <numeric>
#include <regex>
#include <set>
#include <stdexcept>

#include "tests/protobuf/protoc.h"

namespace dbtrace::testing {
namespace {

using nlohmann::json;

void must(bool is_so, const std::string& what) {
  if (!is_so) throw std::runtime_error("OTLP: " + what);
}

const json& one(const json& message, const char* field) {
  must(message.contains(field) && message.at(field).size() == 1, std::string("one ") + field);
  return message.at(field).at(0);
}

template <typename Value>
std::vector<Value> all(const json& message, const char* field) {
  return message.contains(field) ? message.at(field).get<std::vector<Value>>()
                                 : std::vector<Value>();
}

Labels labels_of(const json& message) {
  Labels labels = Labels::object();
  for (const json& each : all<json>(message, "attributes")) {
    const auto key = one(each, "key").get<std::string>();
    static const std::regex kKey("[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)*");
    must(std::regex_match(key, kKey), "no name of an attribute: " + key);
    must(!labels.contains(key), key + " twice");
    const json& value = one(each, "value");
    must(value.size() == 1, key + " has a value");
    labels[key] = value.begin().value().at(0);
  }
  return labels;
}

Point point_of(const json& message, const std::string& kind) {
  Point point{.labels = labels_of(message), .buckets = {}, .bounds = {}};
  point.time_ns = one(message, "time_unix_nano").get<uint64_t>();
  if (kind == "gauge")
    must(!message.contains("start_time_unix_nano"), "a gauge has no start");
  else
    point.start_ns = one(message, "start_time_unix_nano").get<uint64_t>();
  must(point.start_ns < point.time_ns, "it starts before it is told");
  if (kind != "histogram") {
    const bool whole = message.contains("as_int");
    point.value = one(message, whole ? "as_int" : "as_double").get<double>();
    return point;
  }
  // Where a field is 0, protoc leaves it out.
  point.value = message.contains("count") ? one(message, "count").get<double>() : 0;
  point.sum = one(message, "sum").get<double>();
  point.buckets = all<uint64_t>(message, "bucket_counts");
  point.bounds = all<double>(message, "explicit_bounds");
  must(point.buckets.size() == point.bounds.size() + 1, "one bucket more than bounds");
  must(std::ranges::is_sorted(point.bounds), "bounds ascend");
  must(std::accumulate(point.buckets.begin(), point.buckets.end(), 0.0) == point.value,
       "the buckets are the count");
  return point;
}

ToldMetric metric_of(const json& message) {
  ToldMetric metric;
  if (message.contains("unit")) metric.unit = one(message, "unit").get<std::string>();
  must(!one(message, "description").get<std::string>().empty(), "a description");
  for (const char* kind : {"sum", "gauge", "histogram"})
    if (message.contains(kind)) metric.kind = kind;
  const json& data = one(message, metric.kind.c_str());
  if (metric.kind != "gauge")
    must(one(data, "aggregation_temporality") == "AGGREGATION_TEMPORALITY_CUMULATIVE",
         "cumulative");
  if (metric.kind == "sum") must(one(data, "is_monotonic") == "true", "monotonic");
  std::set<std::string> seen;
  for (const json& each : all<json>(data, "data_points")) {
    metric.points.push_back(point_of(each, metric.kind));
    must(seen.insert(metric.points.back().labels.dump()).second, "two points of the same labels");
  }
  must(!metric.points.empty(), "no metric without points");
  return metric;
}

}  // namespace

double ToldMetrics::sum(const std::string& metric, const Labels& labels) const {
  const auto found = metrics.find(metric);
  if (found == metrics.end()) return 0;
  double sum = 0;
  for (const Point& point : found->second.points) {
    const bool has_all = std::ranges::all_of(labels.items(), [&](const auto& label) {
      return point.labels.contains(label.key()) && point.labels[label.key()] == label.value();
    });
    if (has_all) sum += point.value;
  }
  return sum;
}

ToldMetrics metrics_told(const std::string& body) {
  const json request = decode_protobuf(body, OTLP_PROTO, "otlp.ExportMetricsServiceRequest");
  const json& of_resource = one(request, "resource_metrics");
  const json& of_scope = one(of_resource, "scope_metrics");
  const json& scope = one(of_scope, "scope");
  ToldMetrics told{.resource = labels_of(one(of_resource, "resource")),
                   .scope = one(scope, "name"),
                   .version = one(scope, "version"),
                   .metrics = {}};
  for (const json& each : all<json>(of_scope, "metrics")) {
    const auto name = one(each, "name").get<std::string>();
    must(told.metrics.emplace(name, metric_of(each)).second, name + " twice");
  }
  return told;
}

namespace {

std::string hexadecimal(const json& message, const char* field, size_t size) {
  const auto bytes = one(message, field).get<std::string>();
  must(bytes.size() == size && bytes.find_first_not_of('\0') != std::string::npos,
       std::string("a sound ") + field);
  std::string digits;
  for (const char byte : bytes) {
    constexpr const char* kDigits = "0123456789abcdef";
    digits += kDigits[static_cast<unsigned char>(byte) >> 4];
    digits += kDigits[byte & 0xf];
  }
  return digits;
}

// https://opentelemetry.io/docs/specs/semconv/database/database-spans/: what of it is stable.
void check_conventions(const ToldSpan& span) {
  static const std::set<std::string> kTexts = {
      "db.system.name", "db.namespace",   "db.query.text",          "db.query.summary",
      "error.type",     "client.address", "db.response.status_code"};
  for (const auto& [key, value] : span.attributes.items()) {
    must(kTexts.contains(key) ? value.is_string() : key.starts_with("dbtrace."),
         key + " is of no convention");
    must(!value.is_string() || !value.get<std::string>().empty(), key + " is empty");
  }
  static const std::set<std::string> kSystems = {"mysql", "mariadb", "postgresql"};
  must(kSystems.contains(span.attributes.value("db.system.name", "")), "a known db.system.name");
  must(span.failed == span.attributes.contains("error.type"), "error.type is of errors");
  must(span.attributes.value("db.query.summary", "").size() <= 255, "a short summary");
  if (span.attributes.contains("db.query.summary"))
    must(span.attributes["db.query.summary"] == span.name, "the name is the summary");
}

ToldSpan span_of(const json& message, const Labels& resource) {
  ToldSpan span{.resource = resource,
                .trace_id = hexadecimal(message, "trace_id", 16),
                .span_id = hexadecimal(message, "span_id", 8),
                .parent_id = {},
                .name = one(message, "name"),
                .start_ns = one(message, "start_time_unix_nano").get<uint64_t>(),
                .end_ns = one(message, "end_time_unix_nano").get<uint64_t>(),
                .attributes = labels_of(message)};
  if (message.contains("parent_span_id"))
    span.parent_id = hexadecimal(message, "parent_span_id", 8);
  if (message.contains("flags")) span.flags = one(message, "flags").get<uint64_t>();
  if (message.contains("status"))
    span.failed = one(one(message, "status"), "code") == "STATUS_CODE_ERROR";
  must(one(message, "kind") == "SPAN_KIND_SERVER", "kind SERVER");
  must(span.start_ns <= span.end_ns, "it begins before it ends");
  must(!span.name.empty(), "a name");
  check_conventions(span);
  return span;
}

}  // namespace

std::vector<ToldSpan> spans_told(const std::string& body) {
  const json request = decode_protobuf(body, OTLP_PROTO, "otlp.ExportTraceServiceRequest");
  std::vector<ToldSpan> spans;
  for (const json& of_resource : all<json>(request, "resource_spans")) {
    const Labels resource = labels_of(one(of_resource, "resource"));
    const json& of_scope = one(of_resource, "scope_spans");
    must(one(one(of_scope, "scope"), "name") == "dbtrace", "the scope is dbtrace");
    for (const json& each : all<json>(of_scope, "spans")) spans.push_back(span_of(each, resource));
  }
  return spans;
}

}  // namespace dbtrace::testing
