// From events and the kernel's sums to reports: the consumer of `dbtrace histogram`.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>

#include "src/commands/histogram/histogram.h"
#include "src/commands/histogram/kind_view.h"
#include "src/commands/pace.h"
#include "src/commands/tracing/session.h"
#include "src/commands/tracing/summary.h"

namespace dbtrace::commands {

// Not thread-safe.
class KindCounter final : public Consumer {
 public:
  // `kernel_counts`: it was asked to (attach::TracerOptions::kinds).
  KindCounter(const HistogramOptions& options, const model::Filter& filter, bool kernel_counts,
              bool several_servers, output::Writer& writer);

  void take(stream::Decoder& decoder, std::span<const std::byte> event) override;
  // One that has ended.
  void take(const model::Query& query) { view_.take(query); }
  Result<bool> tick(Attachments& attachments) override;
  void resized() override { view_.resized(); }

  // All so far.
  [[nodiscard]] Result<void> tell(const Attachments& attachments, output::Metrics& out);
  // When all probes are gone: tells of the whole run, and saves it.
  [[nodiscard]] Result<void> finish(const Attachments& attachments);
  [[nodiscard]] output::WriteStatus status() const { return view_.status(); }
  [[nodiscard]] Result<Tally> tally(const Attachments& attachments) const;

 private:
  [[nodiscard]] Result<void> look(const Attachments& attachments);
  [[nodiscard]] Result<void> end_stretch(const Attachments& attachments);

  KindView view_;
  const bool kernel_counts_;
  Pace pace_;
  std::chrono::nanoseconds stretch_;
  Pace slice_pace_;
  uint64_t begin_ns_;
  uint64_t interval_begin_ns_;
  HistogramLosses losses_before_;
};

}  // namespace dbtrace::commands
