#include "src/output/metrics_text.h"

#include <fmt/format.h>

#include <iterator>

namespace dbtrace::output {
namespace {

constexpr uint64_t kSecond_ns = 1'000'000'000;

// "1.500000000"
std::string seconds(uint64_t nanoseconds) {
  return fmt::format("{}.{:09}", nanoseconds / kSecond_ns, nanoseconds % kSecond_ns);
}

std::string_view name_of(MetricType type) {
  switch (type) {
    case MetricType::Counter:
      return "counter";
    case MetricType::Gauge:
      return "gauge";
    case MetricType::Histogram:
      return "histogram";
  }
  return "untyped";
}

}  // namespace

void MetricsText::metric(const Metric& metric) {
  name_ = metric.name;
  fmt::format_to(std::back_inserter(out_), "# HELP {0} {2}\n# TYPE {0} {1}\n", name_,
                 name_of(metric.type), metric.help);
}

void MetricsText::sample(Labels labels, uint64_t value) {
  line("", labels, "", fmt::format_int(value).c_str());
}

void MetricsText::sample_seconds(Labels labels, uint64_t nanoseconds) {
  line("", labels, "", seconds(nanoseconds));
}

void MetricsText::sample(Labels labels, const Distribution& times) {
  uint64_t count = 0;
  for (size_t i = 0; i < times.greatest.size(); ++i) {
    count += times.counts[i];
    line("_bucket", labels, seconds(times.greatest[i]), fmt::format_int(count).c_str());
  }
  const fmt::format_int all(times.count);
  line("_bucket", labels, "+Inf", all.c_str());
  line("_sum", labels, "", seconds(times.sum_ns));
  line("_count", labels, "", all.c_str());
}

void MetricsText::line(std::string_view suffix, Labels labels, std::string_view le,
                       std::string_view value) {
  out_ += name_;
  out_ += suffix;
  char separator = '{';
  for (const auto& [name, of_label] : labels) {
    label(name, of_label, separator);
    separator = ',';
  }
  if (!le.empty()) {
    label("le", le, separator);
    separator = ',';
  }
  if (separator == ',') out_ += '}';
  out_ += ' ';
  out_ += value;
  out_ += '\n';
}

void MetricsText::label(std::string_view name, std::string_view value, char separator) {
  out_ += separator;
  out_ += name;
  out_ += "=\"";
  for (const char c : label_value(value)) {
    if (c == '"' || c == '\\') out_ += '\\';
    out_ += c;
  }
  out_ += '"';
}

}  // namespace dbtrace::output
