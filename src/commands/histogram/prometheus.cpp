// Prometheus' text format 0.0.4: counters since the beginning, so that rates can be made
// of them. A kind is a label of few bytes; its text is on a metric of its own.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "src/commands/histogram/report.h"
#include "src/output/cause_names.h"
#include "src/output/metrics_text.h"

namespace dbtrace::commands {
namespace {

using model::FileOperation;
using model::Histogram;
using model::IoCount;
using model::Sums;
using output::MetricsText;

// Powers of two: ranges of the histogram end there, so that the counts are exact, and the
// same for every kind, as rates and sums over kinds want it. 2 µs to 69 s.
constexpr unsigned kFirstPower = 11, kLastPower = 36;

struct OperationName {
  FileOperation operation;
  std::string_view label;
  bool has_bytes;
};
constexpr std::array<OperationName, model::kFileOperations> kOperations = {
    {{FileOperation::Read, "read", true},
     {FileOperation::Write, "write", true},
     {FileOperation::Fsync, "fsync", false}}};

// What there is of a report's kinds, metric by metric.
class Kinds {
 public:
  Kinds(const kinds::Kinds& all, std::span<const kinds::Ranked> told, std::string& out)
      : all_(all), told_(told), text_(out) {}

  // The samples of a metric, for each kind of which it is known; without any, it is not there.
  // `add` is given the kind's id and sums.
  template <typename Known, typename Add>
  void metric(std::string_view name, std::string_view type, std::string_view help,
              const Known& known, const Add& add) {
    bool begun = false;
    for (const kinds::Ranked& each : told_) {
      if (!known(*each.sums)) continue;
      if (!std::exchange(begun, true)) text_.metric(name, type, help);
      add(all_[each.kind], *each.sums);
    }
  }

  void info() {
    metric("dbtrace_kind_info", "gauge", "What the label kind stands for.", always,
           [&](const kinds::Kind& kind, const Sums&) {
             text_.sample({{"kind", kind.id}, {"text", kind.text}}, uint64_t{1});
           });
  }

  void durations() {
    metric("dbtrace_query_duration_seconds", "histogram", "How long queries took.", always,
           [&](const kinds::Kind& kind, const Sums& sums) { duration(kind.id, sums); });
  }

  template <typename Known>
  void counter(std::string_view name, std::string_view help, const Known& known,
               uint64_t Sums::*value) {
    metric(name, "counter", help, known, [&](const kinds::Kind& kind, const Sums& sums) {
      text_.sample({{"kind", kind.id}}, sums.*value);
    });
  }

  void causes() {
    metric(
        "dbtrace_query_time_seconds_total", "counter", "What queries spent their time with.",
        [](const Sums& sums) { return sums.budgets > 0; },
        [&](const kinds::Kind& kind, const Sums& sums) {
          const auto line = [&](std::string_view cause, uint64_t ns) {
            text_.sample_seconds({{"kind", kind.id}, {"cause", cause}}, ns);
          };
          for (const output::CauseName& name : output::kCauseNames)
            line(name.name(), sums.ns(name.cause));
          line(output::UnexplainedName::label, sums.unexplained_ns);
        });
  }

  void files() {
    operations(
        "dbtrace_query_file_operations_total", "Operations on files by queries.",
        [](const OperationName&) { return true; },
        [](const IoCount& io) { return fmt::format("{}", io.count); });
    operations(
        "dbtrace_query_file_bytes_total", "Bytes of files that queries read and wrote.",
        [](const OperationName& operation) { return operation.has_bytes; },
        [](const IoCount& io) { return fmt::format("{}", io.bytes); });
    operations(
        "dbtrace_query_file_seconds_total", "Time of queries in operations on files.",
        [](const OperationName&) { return true; },
        [](const IoCount& io) { return MetricsText::seconds(io.ns); });
  }

  static bool always(const Sums&) { return true; }

 private:
  template <typename Wanted, typename Value>
  void operations(std::string_view name, std::string_view help, const Wanted& wanted,
                  const Value& value) {
    metric(
        name, "counter", help, [](const Sums& sums) { return sums.io_known > 0; },
        [&](const kinds::Kind& kind, const Sums& sums) {
          for (const OperationName& operation : kOperations)
            if (wanted(operation))
              text_.sample({{"kind", kind.id}, {"operation", operation.label}},
                           value(sums.io[static_cast<size_t>(operation.operation)]));
        });
  }

  void duration(std::string_view id, const Sums& sums) {
    const std::vector<uint64_t>& counts = sums.durations.counts();
    uint64_t count = 0;
    size_t bucket = 0;
    for (unsigned power = kFirstPower; power <= kLastPower; ++power) {
      const uint64_t most = (uint64_t{1} << power) - 1;
      for (; bucket < counts.size() && Histogram::greatest(bucket) <= most; ++bucket)
        count += counts[bucket];
      text_.part("bucket", {{"kind", id}, {"le", MetricsText::seconds(most)}},
                 fmt::format("{}", count));
    }
    const std::string all = fmt::format("{}", sums.durations.count());
    text_.part("bucket", {{"kind", id}, {"le", "+Inf"}}, all);
    text_.part("sum", {{"kind", id}}, MetricsText::seconds(sums.total_ns));
    text_.part("count", {{"kind", id}}, all);
  }

  const kinds::Kinds& all_;
  std::span<const kinds::Ranked> told_;
  MetricsText text_;
};

class Prometheus final : public HistogramWriter {
 public:
  explicit Prometheus(size_t top) : top_(top) {}

  void add(const KindReport& report, std::string& out) override {
    std::span<const kinds::Ranked> told = report.ranked;
    if (top_) told = told.first(std::min(top_, told.size()));
    MetricsText text(out);
    text.metric("dbtrace_commands_lost_total", "counter",
                "Commands of which nothing is known, so that all other metrics lack them.");
    text.sample({}, report.losses.lost);

    Kinds kinds(report.kinds, told, out);
    kinds.info();
    kinds.durations();
    kinds.counter("dbtrace_query_errors_total", "Queries that failed.", Kinds::always,
                  &Sums::errors);
    kinds.counter(
        "dbtrace_query_rows_sent_total", "Rows that queries returned.",
        [](const Sums& sums) { return sums.rows_sent_known > 0; }, &Sums::rows_sent);
    kinds.counter(
        "dbtrace_query_rows_examined_total", "Rows that queries looked at.",
        [](const Sums& sums) { return sums.rows_examined_known > 0; }, &Sums::rows_examined);
    kinds.causes();
    kinds.files();
  }

 private:
  size_t top_;
};

}  // namespace

std::unique_ptr<HistogramWriter> histogram_prometheus(size_t top) {
  return std::make_unique<Prometheus>(top);
}

}  // namespace dbtrace::commands
