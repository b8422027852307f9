// From events and the kernel's sums to reports: the consumer of `dbtrace histogram`.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "src/commands/histogram/histogram.h"
#include "src/commands/histogram/report.h"
#include "src/commands/pace.h"
#include "src/commands/tracing/session.h"
#include "src/commands/tracing/summary.h"
#include "src/kinds/kernel_sums.h"
#include "src/kinds/kind_table.h"
#include "src/kinds/slices.h"
#include "src/model/filter.h"
#include "src/output/writer.h"

namespace dbtrace::commands {

// Not thread-safe.
class KindCounter final : public Consumer {
 public:
  // `kernel_counts`: it was asked to (attach::TracerOptions::kinds).
  KindCounter(const HistogramOptions& options, const model::Filter& filter, bool kernel_counts,
              bool several_servers, output::Writer& writer);

  void take(stream::Decoder& decoder, std::span<const std::byte> event) override;
  Result<bool> tick(Attachments& attachments) override;
  void resized() override { use_width(); }

  // When all probes are gone: tells of the whole run, and saves it.
  [[nodiscard]] Result<void> finish(const Attachments& attachments);
  [[nodiscard]] output::WriteStatus status() const { return status_; }
  [[nodiscard]] Result<Tally> tally(const Attachments& attachments) const;

 private:
  void use_width();
  [[nodiscard]] Result<void> look(const Attachments& attachments);
  [[nodiscard]] Result<void> end_stretch(const Attachments& attachments);
  [[nodiscard]] KindReport report(bool total, uint64_t length_ns,
                                  const HistogramLosses& losses) const;
  [[nodiscard]] Result<void> write(const KindReport& report);

  const HistogramOptions& options_;
  const model::Filter& filter_;
  const bool kernel_counts_;
  output::Writer& writer_;
  std::unique_ptr<HistogramWriter> format_;
  kinds::KindTable table_;
  kinds::KernelSums kernel_{table_};
  uint64_t filtered_ = 0;
  Pace pace_;
  kinds::Slices slices_;  // only when the run is saved
  std::chrono::nanoseconds stretch_;
  Pace slice_pace_;
  uint64_t begin_ns_;
  uint64_t interval_begin_ns_;
  HistogramLosses losses_before_;
  output::WriteStatus status_ = output::WriteStatus::Ok;
};

}  // namespace dbtrace::commands
