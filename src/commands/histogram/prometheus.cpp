// Prometheus' text format 0.0.4: counters since the beginning, so that rates can be made
// of them. A kind is a label of few bytes; its text is on a metric of its own.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "src/commands/histogram/report.h"
#include "src/output/cause_names.h"
#include "src/output/escape.h"

namespace dbtrace::commands {
namespace {

using model::Histogram;
using model::Sums;

// Powers of two: ranges of the histogram end there, so that the counts are exact, and the
// same for every kind, as rates and sums over kinds want it. 2 µs to 69 s.
constexpr unsigned kFirstPower = 11, kLastPower = 36;

std::string seconds(uint64_t nanoseconds) {
  return fmt::format("{}.{:09}", nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000);
}

class Prometheus final : public HistogramWriter {
 public:
  explicit Prometheus(size_t top) : top_(top) {}

  void add(const KindReport& report, std::string& out) override {
    std::span<const kinds::Ranked> kinds = report.ranked;
    if (top_) kinds = kinds.first(std::min(top_, kinds.size()));
    losses(report.losses, out);
    info(report.kinds, kinds, out);
    durations(report.kinds, kinds, out);
    counter(
        "dbtrace_query_errors_total", "Queries that failed.", report.kinds, kinds,
        [](const Sums&) { return true; },
        [](const Sums& sums) { return fmt::format("{}", sums.errors); }, out);
    counter(
        "dbtrace_query_rows_sent_total", "Rows that queries returned.", report.kinds, kinds,
        [](const Sums& sums) { return sums.rows_sent_known > 0; },
        [](const Sums& sums) { return fmt::format("{}", sums.rows_sent); }, out);
    counter(
        "dbtrace_query_rows_examined_total", "Rows that queries looked at.", report.kinds, kinds,
        [](const Sums& sums) { return sums.rows_examined_known > 0; },
        [](const Sums& sums) { return fmt::format("{}", sums.rows_examined); }, out);
    causes(report.kinds, kinds, out);
  }

 private:
  static void metric(std::string_view name, std::string_view type, std::string_view help,
                     std::string& out) {
    out += fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
  }

  static void losses(const HistogramLosses& losses, std::string& out) {
    metric("dbtrace_commands_lost_total", "counter",
           "Commands of which nothing is known, so that all other metrics lack them.", out);
    out += fmt::format("dbtrace_commands_lost_total {}\n", losses.lost);
  }

  void info(const kinds::Kinds& all, std::span<const kinds::Ranked> kinds, std::string& out) {
    if (kinds.empty()) return;
    metric("dbtrace_kind_info", "gauge", "What the label kind stands for.", out);
    for (const kinds::Ranked& each : kinds) {
      out += fmt::format("dbtrace_kind_info{{kind=\"{}\",text=\"", all[each.kind].id);
      label(all[each.kind].text, out);
      out += "\"} 1\n";
    }
  }

  static void durations(const kinds::Kinds& all, std::span<const kinds::Ranked> kinds,
                        std::string& out) {
    if (kinds.empty()) return;
    metric("dbtrace_query_duration_seconds", "histogram", "How long queries took.", out);
    for (const kinds::Ranked& each : kinds) {
      const std::string& id = all[each.kind].id;
      const std::vector<uint64_t>& counts = each.sums->durations.counts();
      uint64_t count = 0;
      size_t bucket = 0;
      for (unsigned power = kFirstPower; power <= kLastPower; ++power) {
        const uint64_t most = (uint64_t{1} << power) - 1;
        for (; bucket < counts.size() && Histogram::greatest(bucket) <= most; ++bucket)
          count += counts[bucket];
        out += fmt::format("dbtrace_query_duration_seconds_bucket{{kind=\"{}\",le=\"{}\"}} {}\n",
                           id, seconds(most), count);
      }
      out += fmt::format(
          "dbtrace_query_duration_seconds_bucket{{kind=\"{0}\",le=\"+Inf\"}} {1}\n"
          "dbtrace_query_duration_seconds_sum{{kind=\"{0}\"}} {2}\n"
          "dbtrace_query_duration_seconds_count{{kind=\"{0}\"}} {1}\n",
          id, each.sums->durations.count(), seconds(each.sums->total_ns));
    }
  }

  template <typename Known, typename Value>
  static void counter(std::string_view name, std::string_view help, const kinds::Kinds& all,
                      std::span<const kinds::Ranked> kinds, const Known& known, const Value& value,
                      std::string& out) {
    bool begun = false;
    for (const kinds::Ranked& each : kinds) {
      if (!known(*each.sums)) continue;
      if (!std::exchange(begun, true)) metric(name, "counter", help, out);
      out += fmt::format("{}{{kind=\"{}\"}} {}\n", name, all[each.kind].id, value(*each.sums));
    }
  }

  static void causes(const kinds::Kinds& all, std::span<const kinds::Ranked> kinds,
                     std::string& out) {
    constexpr std::string_view kName = "dbtrace_query_time_seconds_total";
    bool begun = false;
    for (const kinds::Ranked& each : kinds) {
      if (each.sums->budgets == 0) continue;
      if (!std::exchange(begun, true))
        metric(kName, "counter", "What queries spent their time with.", out);
      const auto line = [&](std::string_view cause, uint64_t ns) {
        out += fmt::format("{}{{kind=\"{}\",cause=\"{}\"}} {}\n", kName, all[each.kind].id, cause,
                           seconds(ns));
      };
      for (const output::CauseName& name : output::kCauseNames)
        line(name.name(), each.sums->ns(name.cause));
      line(output::UnexplainedName::label, each.sums->unexplained_ns);
    }
  }

  void label(std::string_view value, std::string& out) {
    shown_.clear();
    output::append_visible(shown_, value);
    for (const char c : shown_) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }

  size_t top_;
  std::string shown_;
};

}  // namespace

std::unique_ptr<HistogramWriter> histogram_prometheus(size_t top) {
  return std::make_unique<Prometheus>(top);
}

}  // namespace dbtrace::commands
