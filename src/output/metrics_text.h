// Prometheus' text format 0.0.4, line by line.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace dbtrace::output {

inline constexpr std::string_view kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

class MetricsText {
 public:
  // Names come from us; values of labels may hold whatever there is. Cut at kMostLabel bytes:
  // stores of metrics refuse longer ones.
  using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;
  static constexpr size_t kMostLabel = 1024;

  explicit MetricsText(std::string& out) : out_(out) {}

  // What follows, until the next call, are samples of it. `type`: "counter", "gauge", "histogram".
  void metric(std::string_view name, std::string_view type, std::string_view help);
  void sample(Labels labels, std::string_view value);
  void sample(Labels labels, uint64_t value);
  void sample_seconds(Labels labels, uint64_t nanoseconds);
  // Of a histogram: "bucket", "sum" or "count".
  void part(std::string_view part, Labels labels, std::string_view value);

  // "1.500000000"
  [[nodiscard]] static std::string seconds(uint64_t nanoseconds);

 private:
  void value_of_label(std::string_view value);

  std::string& out_;
  std::string name_;
  std::string shown_;
};

}  // namespace dbtrace::output
