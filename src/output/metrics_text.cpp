#include "src/output/metrics_text.h"

#include <fmt/format.h>

#include <iterator>

#include "src/output/escape.h"
#include "src/output/utf8.h"

namespace dbtrace::output {
namespace {

constexpr uint64_t kSecond_ns = 1'000'000'000;

}  // namespace

std::string MetricsText::seconds(uint64_t nanoseconds) {
  return fmt::format("{}.{:09}", nanoseconds / kSecond_ns, nanoseconds % kSecond_ns);
}

void MetricsText::metric(std::string_view name, std::string_view type, std::string_view help) {
  name_ = name;
  fmt::format_to(std::back_inserter(out_), "# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
}

void MetricsText::sample(Labels labels, std::string_view value) { part("", labels, value); }

void MetricsText::sample(Labels labels, uint64_t value) {
  sample(labels, fmt::format_int(value).c_str());
}

void MetricsText::sample_seconds(Labels labels, uint64_t nanoseconds) {
  sample(labels, seconds(nanoseconds));
}

void MetricsText::part(std::string_view part, Labels labels, std::string_view value) {
  out_ += name_;
  if (!part.empty()) {
    out_ += '_';
    out_ += part;
  }
  char separator = '{';
  for (const auto& [name, of_label] : labels) {
    out_ += separator;
    separator = ',';
    out_ += name;
    value_of_label(of_label);
  }
  if (separator == ',') out_ += '}';
  out_ += ' ';
  out_ += value;
  out_ += '\n';
}

void MetricsText::value_of_label(std::string_view value) {
  shown_.clear();
  append_visible(shown_, value, kMostLabel);
  // Columns are not bytes.
  if (shown_.size() > kMostLabel) {
    shown_.resize(kMostLabel - kEllipsis.size());
    shown_.resize(without_unfinished_character(shown_).size());
    shown_ += kEllipsis;
  }
  out_ += "=\"";
  for (const char c : shown_) {
    if (c == '"' || c == '\\') out_ += '\\';
    out_ += c;
  }
  out_ += '"';
}

}  // namespace dbtrace::output
