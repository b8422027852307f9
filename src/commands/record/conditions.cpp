#include "src/commands/record/conditions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "src/commands/units.h"
#include "src/output/histogram_text.h"

namespace dbtrace::commands {

struct Condition::Measure {
  std::string_view name;
  bool is_duration;  // else so many in Recently::kSeconds, shown as so many a second
  // Nothing: not known.
  std::optional<uint64_t> (*value)(const Recently&);
};

namespace {

using Measure = Condition::Measure;
using Value = std::optional<uint64_t>;

template <int PerMille>
Value quantile(const Recently& recently) {
  if (recently.queries() == 0) return std::nullopt;
  return recently.durations().quantile(PerMille / 1000.0, recently.max_ns());
}

// The first seconds say little: a rate would look low.
Value rate(const Recently& recently, uint64_t count) {
  if (!recently.is_whole()) return std::nullopt;
  return count;
}

constexpr Measure kMeasures[] = {
    {"p50", true, quantile<500>},
    {"p90", true, quantile<900>},
    {"p95", true, quantile<950>},
    {"p99", true, quantile<990>},
    {"p999", true, quantile<999>},
    {"max", true, [](const Recently& recently) -> Value { return recently.max_ns(); }},
    {"mean", true,
     [](const Recently& recently) -> Value {
       if (recently.queries() == 0) return std::nullopt;
       return recently.total_ns() / recently.queries();
     }},
    {"running", true, [](const Recently& recently) -> Value { return recently.running_ns(); }},
    {"queries", false, [](const Recently& recently) { return rate(recently, recently.queries()); }},
    {"errors", false, [](const Recently& recently) { return rate(recently, recently.errors()); }},
};

std::string value_text(const Measure& measure, uint64_t value) {
  return measure.is_duration
             ? output::rounded_duration(value)
             : fmt::format("{:g}/s", static_cast<double>(value) / Recently::kSeconds);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

Result<uint64_t> parse_limit(const Measure& measure, std::string_view text) {
  if (measure.is_duration) return parse_duration(std::string(text));
  if (text.ends_with("/s")) text.remove_suffix(2);
  constexpr double kMost = 1e12;
  double limit = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (is_number && limit >= 0 && limit <= kMost) {
    const double count = limit * Recently::kSeconds, whole = std::round(count);
    // Nothing between two counts can ever be seen.
    if (std::abs(count - whole) < 1e-6) return static_cast<uint64_t>(whole);
  }
  return fail(fmt::format("'{}' is not so many a second", text),
              "write it as 100/s, or in tenths: 0.1/s");
}

}  // namespace

void Recently::add(const model::Query& ended) {
  Second& now = ring_[seconds_ % kSeconds];
  now.durations.add(ended.duration_ns);
  ++now.queries;
  now.errors += ended.error.value_or(0) != 0;
  now.total_ns += ended.duration_ns;
  now.max_ns = std::max(now.max_ns, ended.duration_ns);
}

void Recently::begin_second() {
  ring_[++seconds_ % kSeconds] = {};
  running_ns_ = 0;
}

uint64_t Recently::max_ns() const { return std::ranges::max(ring_, {}, &Second::max_ns).max_ns; }

uint64_t Recently::sum(uint64_t Second::*count) const {
  uint64_t all = 0;
  for (const Second& each : ring_) all += each.*count;
  return all;
}

model::Histogram Recently::durations() const {
  model::Histogram all;
  for (const Second& each : ring_) all.merge(each.durations);
  return all;
}

Condition::Condition(const Measure& measure, bool is_above, uint64_t limit)
    : measure_(&measure),
      is_above_(is_above),
      limit_(limit),
      text_(fmt::format("{} {} {}", measure.name, is_above ? '>' : '<',
                        value_text(measure, limit))) {}

Result<Condition> Condition::parse(const std::string& text) {
  const size_t sign = text.find_first_of("<>");
  if (sign == std::string::npos)
    return fail(fmt::format("'{}' compares nothing", text), "write it as 'p99 > 200ms'");
  const std::string_view name = trimmed(std::string_view(text).substr(0, sign));
  const auto* const measure = std::ranges::find(kMeasures, name, &Measure::name);
  if (measure == std::end(kMeasures)) {
    std::vector<std::string_view> names;
    for (const Measure& each : kMeasures) names.push_back(each.name);
    return fail(fmt::format("'{}' is not measured", name),
                fmt::format("these are: {}", fmt::join(names, ", ")));
  }
  const auto limit = parse_limit(*measure, trimmed(std::string_view(text).substr(sign + 1)));
  if (!limit) return tl::unexpected(limit.error());
  return Condition(*measure, text[sign] == '>', *limit);
}

bool Condition::is_about_running() const { return measure_->name == "running"; }

std::optional<std::string> Condition::became_true(const Recently& recently) {
  const Value value = measure_->value(recently);
  const bool is_true = value && (is_above_ ? *value > limit_ : *value < limit_);
  if (!is_true || std::exchange(was_true_, true)) {
    was_true_ = is_true;
    return std::nullopt;
  }
  return value_text(*measure_, *value);
}

bool Conditions::look_at_running() const {
  return std::ranges::any_of(conditions_, &Condition::is_about_running);
}

std::vector<recording::Incident> Conditions::look(const Recently& recently, uint64_t now_ns,
                                                  bool& too_many) {
  constexpr uint64_t kHour_ns = 3'600'000'000'000;
  std::erase_if(said_ns_, [now_ns](uint64_t at_ns) { return at_ns + kHour_ns <= now_ns; });
  std::vector<recording::Incident> incidents;
  for (Condition& condition : conditions_)
    if (auto value = condition.became_true(recently))
      incidents.push_back({now_ns, condition.text(), std::move(*value)});
  too_many = !incidents.empty() && said_ns_.size() >= most_an_hour_;
  if (too_many) incidents.clear();
  if (!incidents.empty()) said_ns_.push_back(now_ns);
  return incidents;
}

}  // namespace dbtrace::commands
