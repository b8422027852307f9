// Figures as an ExportMetricsServiceRequest: sums and histograms are cumulative.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "src/otlp/attributes.h"
#include "src/output/metrics.h"

namespace dbtrace::otlp {

class MetricsMessage final : public output::Metrics {
 public:
  // Times of the wall clock, since the Unix epoch: when all counters were 0, and that of the
  // figures.
  MetricsMessage(uint64_t start_ns, uint64_t now_ns) : start_ns_(start_ns), now_ns_(now_ns) {}

  void metric(const output::Metric& metric) override;
  void sample(Labels labels, uint64_t value) override;
  void sample_seconds(Labels labels, uint64_t nanoseconds) override;
  void sample(Labels labels, const output::Distribution& times) override;

  [[nodiscard]] uint64_t points() const { return count_; }
  // Once, when all is told.
  [[nodiscard]] std::string finish(const Attributes& resource, std::string_view version);

 private:
  void begin(protozero::pbf_writer& point, uint32_t attributes, Labels labels);
  void end_metric();

  const uint64_t start_ns_, now_ns_;
  const output::Metric* metric_ = nullptr;
  uint64_t count_ = 0;
  std::string points_;   // of metric_
  std::string metrics_;  // before it
};

}  // namespace dbtrace::otlp
