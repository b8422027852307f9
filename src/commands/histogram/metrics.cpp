// A kind is a label of few bytes; its text is on a metric of its own.
#include "src/commands/histogram/metrics.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "src/output/cause_names.h"

namespace dbtrace::commands {
namespace {

using model::FileOperation;
using model::Histogram;
using model::IoCount;
using model::Sums;
using output::Metric;
using output::MetricType;

constexpr Metric kLost = {
    "dbtrace_commands_lost_total", "dbtrace.commands.lost", "{command}", MetricType::Counter,
    "Commands of which nothing is known, so that all other metrics lack them."};
constexpr Metric kInfo = {"dbtrace_kind_info", "dbtrace.kind.info", "", MetricType::Gauge,
                          "What the label kind stands for."};
constexpr Metric kDuration = {"dbtrace_query_duration_seconds", "dbtrace.query.duration", "s",
                              MetricType::Histogram, "How long queries took."};
constexpr Metric kErrors = {"dbtrace_query_errors_total", "dbtrace.query.errors", "{query}",
                            MetricType::Counter, "Queries that failed."};
constexpr Metric kRowsSent = {"dbtrace_query_rows_sent_total", "dbtrace.query.rows_sent", "{row}",
                              MetricType::Counter, "Rows that queries returned."};
constexpr Metric kRowsExamined = {"dbtrace_query_rows_examined_total",
                                  "dbtrace.query.rows_examined", "{row}", MetricType::Counter,
                                  "Rows that queries looked at."};
constexpr Metric kTime = {"dbtrace_query_time_seconds_total", "dbtrace.query.time", "s",
                          MetricType::Counter, "What queries spent their time with."};
constexpr Metric kFileOperations = {"dbtrace_query_file_operations_total",
                                    "dbtrace.query.file.operations", "{operation}",
                                    MetricType::Counter, "Operations on files by queries."};
constexpr Metric kFileBytes = {"dbtrace_query_file_bytes_total", "dbtrace.query.file.bytes", "By",
                               MetricType::Counter, "Bytes of files that queries read and wrote."};
constexpr Metric kFileTime = {"dbtrace_query_file_seconds_total", "dbtrace.query.file.seconds", "s",
                              MetricType::Counter, "Time of queries in operations on files."};

// Powers of two: ranges of the histogram end there, so that the counts are exact, and the
// same for every kind, as rates and sums over kinds want it. 2 µs to 69 s.
constexpr unsigned kFirstPower = 11, kLastPower = 36;
constexpr auto kGreatest = [] {
  std::array<uint64_t, kLastPower - kFirstPower + 1> greatest{};
  for (unsigned power = kFirstPower; power <= kLastPower; ++power)
    greatest[power - kFirstPower] = (uint64_t{1} << power) - 1;
  return greatest;
}();

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
  Kinds(const kinds::Kinds& all, std::span<const kinds::Ranked> told, output::Metrics& out)
      : all_(all), told_(told), out_(out) {}

  // The samples of a metric, for each kind of which it is known; without any, it is not there.
  // `add` is given the kind's id and sums.
  template <typename Known, typename Add>
  void metric(const Metric& metric, const Known& known, const Add& add) {
    bool begun = false;
    for (const kinds::Ranked& each : told_) {
      if (!known(*each.sums)) continue;
      if (!std::exchange(begun, true)) out_.metric(metric);
      add(all_[each.kind], *each.sums);
    }
  }

  void info() {
    metric(kInfo, always, [&](const kinds::Kind& kind, const Sums&) {
      out_.sample({{"kind", kind.id}, {"text", kind.text}}, uint64_t{1});
    });
  }

  void durations() {
    metric(kDuration, always,
           [&](const kinds::Kind& kind, const Sums& sums) { duration(kind.id, sums); });
  }

  template <typename Known>
  void counter(const Metric& of, const Known& known, uint64_t Sums::*value) {
    metric(of, known, [&](const kinds::Kind& kind, const Sums& sums) {
      out_.sample({{"kind", kind.id}}, sums.*value);
    });
  }

  void causes() {
    metric(
        kTime, [](const Sums& sums) { return sums.budgets > 0; },
        [&](const kinds::Kind& kind, const Sums& sums) {
          const auto line = [&](std::string_view cause, uint64_t ns) {
            out_.sample_seconds({{"kind", kind.id}, {"cause", cause}}, ns);
          };
          for (const output::CauseName& name : output::kCauseNames)
            line(name.name(), sums.ns(name.cause));
          line(output::UnexplainedName::label, sums.unexplained_ns);
        });
  }

  void files() {
    operations(kFileOperations, [&](Labels labels, const OperationName&, const IoCount& io) {
      out_.sample(labels, io.count);
    });
    operations(kFileBytes, [&](Labels labels, const OperationName& operation, const IoCount& io) {
      if (operation.has_bytes) out_.sample(labels, io.bytes);
    });
    operations(kFileTime, [&](Labels labels, const OperationName&, const IoCount& io) {
      out_.sample_seconds(labels, io.ns);
    });
  }

  static bool always(const Sums&) { return true; }

 private:
  using Labels = output::Metrics::Labels;

  template <typename Add>
  void operations(const Metric& of, const Add& add) {
    metric(
        of, [](const Sums& sums) { return sums.io_known > 0; },
        [&](const kinds::Kind& kind, const Sums& sums) {
          for (const OperationName& operation : kOperations)
            add({{"kind", kind.id}, {"operation", operation.label}}, operation,
                sums.io[static_cast<size_t>(operation.operation)]);
        });
  }

  void duration(std::string_view id, const Sums& sums) {
    const std::vector<uint64_t>& counts = sums.durations.counts();
    std::array<uint64_t, kGreatest.size() + 1> by_bucket{};
    size_t bucket = 0;
    for (size_t i = 0; i < kGreatest.size(); ++i)
      for (; bucket < counts.size() && Histogram::greatest(bucket) <= kGreatest[i]; ++bucket)
        by_bucket[i] += counts[bucket];
    for (; bucket < counts.size(); ++bucket) by_bucket.back() += counts[bucket];
    out_.sample({{"kind", id}}, output::Distribution{.greatest = kGreatest,
                                                     .counts = by_bucket,
                                                     .count = sums.durations.count(),
                                                     .sum_ns = sums.total_ns});
  }

  const kinds::Kinds& all_;
  std::span<const kinds::Ranked> told_;
  output::Metrics& out_;
};

}  // namespace

void tell_kinds(const KindReport& report, size_t top, output::Metrics& out) {
  std::span<const kinds::Ranked> told = report.ranked;
  if (top) told = told.first(std::min(top, told.size()));
  out.metric(kLost);
  out.sample({}, report.losses.lost);

  Kinds kinds(report.kinds, told, out);
  kinds.info();
  kinds.durations();
  kinds.counter(kErrors, Kinds::always, &Sums::errors);
  kinds.counter(
      kRowsSent, [](const Sums& sums) { return sums.rows_sent_known > 0; }, &Sums::rows_sent);
  kinds.counter(
      kRowsExamined, [](const Sums& sums) { return sums.rows_examined_known > 0; },
      &Sums::rows_examined);
  kinds.causes();
  kinds.files();
}

}  // namespace dbtrace::commands
