// What a push of metrics or spans tells, once it is sure to be as the protocol and its conventions
// have it.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace dbtrace::testing {

// Values of one point: {"kind": "…"}; text or number.
using Labels = nlohmann::json;

struct Point {
  Labels labels;
  uint64_t start_ns = 0;  // 0: of a gauge
  uint64_t time_ns = 0;
  double value = 0;  // of a histogram: how many
  double sum = 0;    // of a histogram
  std::vector<uint64_t> buckets;
  std::vector<double> bounds;
};

struct ToldMetric {
  std::string unit;
  std::string kind;  // "sum", "gauge", "histogram"
  std::vector<Point> points;
};

struct ToldMetrics {
  Labels resource;
  std::string scope, version;
  std::map<std::string, ToldMetric> metrics;

  // Of all points that have these labels, too.
  [[nodiscard]] double sum(const std::string& metric, const Labels& labels = {}) const;
};

// Throws std::runtime_error that says what is wrong: another message, two metrics of a name, sums
// that are not cumulative and monotonic, points without their times, buckets that do not add up,
// two points of the same labels, keys twice.
[[nodiscard]] ToldMetrics metrics_told(const std::string& body);

struct ToldSpan {
  Labels resource;
  std::string trace_id, span_id, parent_id;  // in hexadecimal digits; no parent: empty
  uint64_t flags = 0;
  std::string name;
  uint64_t start_ns = 0, end_ns = 0;
  bool failed = false;
  Labels attributes;
};

// Throws likewise: ids of another length or of zeros, another kind than SERVER, a span that ends
// before it begins, attributes of databases that are not those of the stable conventions.
[[nodiscard]] std::vector<ToldSpan> spans_told(const std::string& body);

}  // namespace dbtrace::testing
