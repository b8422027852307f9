// Figures that are told to programs: what they are called and what they are, whoever writes them
// down.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace dbtrace::output {

enum class MetricType { Counter, Gauge, Histogram };

// Static storage. Prometheus would make the first name of the second, the unit and the type, but
// for those of the process, which each has a name of its own for.
struct Metric {
  std::string_view name;    // Prometheus': "dbtrace_query_errors_total"
  std::string_view dotted;  // OpenTelemetry's: "dbtrace.query.errors"
  std::string_view unit;    // by UCUM: "s", "By", "{query}", "1"
  MetricType type;
  std::string_view help;
};

// How times are distributed, in nanoseconds.
struct Distribution {
  std::span<const uint64_t> greatest;  // of each bucket but the last, which has no bound
  std::span<const uint64_t> counts;    // of each bucket
  uint64_t count = 0;
  uint64_t sum_ns = 0;
};

// Not thread-safe.
class Metrics {
 public:
  // Names come from us; values may hold whatever there is.
  using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  Metrics() = default;
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;
  virtual ~Metrics() = default;

  // What follows, until the next call, are samples of it.
  virtual void metric(const Metric& metric) = 0;
  virtual void sample(Labels labels, uint64_t value) = 0;
  virtual void sample_seconds(Labels labels, uint64_t nanoseconds) = 0;
  virtual void sample(Labels labels, const Distribution& times) = 0;
};

// A label's value as it is told: printable UTF-8 of at most so many bytes, as stores of metrics
// refuse longer ones.
inline constexpr size_t kMostLabel = 1024;
[[nodiscard]] std::string label_value(std::string_view value);

}  // namespace dbtrace::output
