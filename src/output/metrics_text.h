// Prometheus' text format 0.0.4, line by line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "src/output/metrics.h"

namespace dbtrace::output {

inline constexpr std::string_view kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

class MetricsText final : public Metrics {
 public:
  explicit MetricsText(std::string& out) : out_(out) {}

  void metric(const Metric& metric) override;
  void sample(Labels labels, uint64_t value) override;
  void sample_seconds(Labels labels, uint64_t nanoseconds) override;
  void sample(Labels labels, const Distribution& times) override;

 private:
  // `suffix` and `le` are of histograms; empty: none.
  void line(std::string_view suffix, Labels labels, std::string_view le, std::string_view value);
  void label(std::string_view name, std::string_view value, char separator);

  std::string& out_;
  std::string_view name_;
};

}  // namespace dbtrace::output
