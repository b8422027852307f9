// Queries and sums of them as reports by kind: the same for those that come live and those of a
// recording.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "src/commands/histogram/histogram.h"
#include "src/commands/histogram/report.h"
#include "src/commands/span.h"
#include "src/kinds/kernel_sums.h"
#include "src/kinds/kind_table.h"
#include "src/kinds/slices.h"
#include "src/model/filter.h"
#include "src/output/metrics.h"
#include "src/output/writer.h"

namespace dbtrace::commands {

// Not thread-safe.
class KindView {
 public:
  KindView(const HistogramOptions& options, const model::Filter& filter, bool several_servers,
           output::Writer& writer);

  // The terminal has another size.
  void resized();
  // One that has ended; or an example of those that somebody else counts (model::Query::kind).
  void take(const model::Query& query);
  // What somebody else has counted up to now; the last time: whatever is known of it.
  void look(const kinds::KernelSums::Sums& sums) { others_.look(sums); }
  void look_last(const kinds::KernelSums::Sums& sums) { others_.finish(sums); }

  // A stretch of a run that is saved is over; true: the next ones are to be twice as long.
  [[nodiscard]] bool end_stretch() { return slices_.end_stretch(table_); }
  // Tells of the interval, which is over; Prometheus of all so far.
  [[nodiscard]] Result<void> end_interval(const Span& interval, const Span& total,
                                          const HistogramLosses& lost_in_it,
                                          const HistogramLosses& lost);
  // All so far, for who asks for it.
  void tell(const Span& total, const HistogramLosses& lost, output::Metrics& out);
  // All has come.
  void close();
  // close(), and tells of the whole run, and saves it.
  [[nodiscard]] Result<void> finish(const Span& total, const HistogramLosses& lost);
  // The whole run as it would be saved; after close().
  [[nodiscard]] std::string saved(const Span& total, const HistogramLosses& lost) const;

  [[nodiscard]] output::WriteStatus status() const { return status_; }
  [[nodiscard]] uint64_t counted() const {
    return table_.total_of_all().count + table_.interval_of_all().count;
  }
  [[nodiscard]] uint64_t filtered() const { return filtered_; }

 private:
  [[nodiscard]] KindReport report(const Span& span, const HistogramLosses& losses) const;
  [[nodiscard]] Result<void> write(const KindReport& report);

  const HistogramOptions& options_;
  const model::Filter& filter_;
  output::Writer& writer_;
  std::unique_ptr<HistogramWriter> format_;
  kinds::KindTable table_;
  kinds::KernelSums others_{table_};
  kinds::Slices slices_;  // only when the run is saved
  uint64_t filtered_ = 0;
  output::WriteStatus status_ = output::WriteStatus::Ok;
};

}  // namespace dbtrace::commands
