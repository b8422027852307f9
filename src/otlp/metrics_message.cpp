#include "src/otlp/metrics_message.h"

#include <vector>

#include "src/otlp/fields.h"

namespace dbtrace::otlp {
namespace {

using output::MetricType;
using protozero::pbf_writer;

constexpr double kSecond_ns = 1e9;

double seconds(uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / kSecond_ns; }

uint32_t field_of(MetricType type) {
  switch (type) {
    case MetricType::Counter:
      return metric::kSum;
    case MetricType::Gauge:
      return metric::kGauge;
    case MetricType::Histogram:
      return metric::kHistogram;
  }
  return metric::kGauge;
}

void add(pbf_writer& message, uint32_t field, std::string_view text) {
  message.add_string(field, text.data(), text.size());
}

}  // namespace

void MetricsMessage::metric(const output::Metric& metric) {
  end_metric();
  metric_ = &metric;
}

void MetricsMessage::begin(pbf_writer& point, uint32_t attributes, Labels labels) {
  ++count_;
  for (const auto& [name, value] : labels) add_text(point, attributes, name, value);
  if (metric_->type != MetricType::Gauge) point.add_fixed64(point::kStart, start_ns_);
  point.add_fixed64(point::kTime, now_ns_);
}

void MetricsMessage::sample(Labels labels, uint64_t value) {
  pbf_writer points(points_);
  pbf_writer point(points, metric::kPoints);
  begin(point, number_point::kAttributes, labels);
  point.add_sfixed64(number_point::kInt, static_cast<int64_t>(value));
}

void MetricsMessage::sample_seconds(Labels labels, uint64_t nanoseconds) {
  pbf_writer points(points_);
  pbf_writer point(points, metric::kPoints);
  begin(point, number_point::kAttributes, labels);
  point.add_double(number_point::kDouble, seconds(nanoseconds));
}

void MetricsMessage::sample(Labels labels, const output::Distribution& times) {
  std::vector<double> bounds;
  bounds.reserve(times.greatest.size());
  for (const uint64_t each : times.greatest) bounds.push_back(seconds(each));
  pbf_writer points(points_);
  pbf_writer point(points, metric::kPoints);
  begin(point, histogram_point::kAttributes, labels);
  point.add_fixed64(histogram_point::kCount, times.count);
  point.add_double(histogram_point::kSum, seconds(times.sum_ns));
  point.add_packed_fixed64(histogram_point::kBucketCounts, times.counts.begin(),
                           times.counts.end());
  point.add_packed_double(histogram_point::kBounds, bounds.begin(), bounds.end());
}

void MetricsMessage::end_metric() {
  if (!metric_) return;
  {
    pbf_writer data(points_);
    if (metric_->type != MetricType::Gauge)
      data.add_enum(metric::kTemporality, metric::kCumulative);
    if (metric_->type == MetricType::Counter) data.add_bool(metric::kIsMonotonic, true);
  }
  pbf_writer all(metrics_);
  pbf_writer one(all, request::kItems);
  add(one, metric::kName, metric_->dotted);
  add(one, metric::kDescription, metric_->help);
  add(one, metric::kUnit, metric_->unit);
  one.add_message(field_of(metric_->type), points_);
  points_.clear();
  metric_ = nullptr;
}

std::string MetricsMessage::finish(const Attributes& resource, std::string_view version) {
  end_metric();
  return request_of(resource, version, metrics_);
}

}  // namespace dbtrace::otlp
