#include "src/commands/histogram/counter.h"

#include <chrono>
#include <ctime>

#include "src/commands/wall_clock.h"

namespace dbtrace::commands {
namespace {

// Of a saved run; longer ones when it goes on.
constexpr std::chrono::milliseconds kFirstStretch{250};

HistogramLosses losses_of(const Tally& tally) {
  return {.lost = lost(tally),
          .without_text = tally.kernel[DBT_COUNT_UNREADABLE_TEXT],
          .without_budget = tally.kernel[DBT_COUNT_BUDGETS_LOST]};
}

}  // namespace

KindCounter::KindCounter(const HistogramOptions& options, const model::Filter& filter,
                         bool kernel_counts, bool several_servers, output::Writer& writer)
    : view_(options, filter, several_servers, writer),
      kernel_counts_(kernel_counts),
      pace_(options.interval_ns ? Pace::after_each(std::chrono::nanoseconds(options.interval_ns))
                                : Pace()),
      stretch_(kFirstStretch),
      slice_pace_(options.save_file.empty() ? Pace() : Pace::after_each(stretch_)),
      begin_ns_(nanoseconds_of(CLOCK_MONOTONIC)),
      interval_begin_ns_(begin_ns_) {}

void KindCounter::take(stream::Decoder& decoder, std::span<const std::byte> event) {
  const model::Query* query = decoder.feed(event);
  if (query && !query->running) view_.take(*query);
}

Result<Tally> KindCounter::tally(const Attachments& attachments) const {
  Tally tally;
  tally.shown = view_.counted();
  tally.filtered = view_.filtered();
  tally.shown_as = "counted";
  return completed(tally, attachments);
}

Result<void> KindCounter::look(const Attachments& attachments) {
  if (!kernel_counts_) return {};
  auto sums = attachments.kind_sums();
  if (!sums) return tl::unexpected(sums.error());
  view_.look(*sums);
  return {};
}

Result<void> KindCounter::end_stretch(const Attachments& attachments) {
  if (auto looked = look(attachments); !looked) return looked;
  if (view_.end_stretch()) {
    stretch_ *= 2;
    slice_pace_ = Pace::after_each(stretch_);
  }
  return {};
}

Result<bool> KindCounter::tick(Attachments& attachments) {
  if (slice_pace_.due())
    if (auto ended = end_stretch(attachments); !ended) return tl::unexpected(ended.error());
  if (pace_.due()) {
    if (auto looked = look(attachments); !looked) return tl::unexpected(looked.error());
    const uint64_t now = nanoseconds_of(CLOCK_MONOTONIC);
    const uint64_t end = nanoseconds_of(CLOCK_REALTIME);
    const auto losses = tally(attachments).map(losses_of);
    if (!losses) return tl::unexpected(losses.error());
    HistogramLosses since = *losses;
    since.subtract(losses_before_);
    if (auto written = view_.end_interval({false, end, now - interval_begin_ns_},
                                          {true, end, now - begin_ns_}, since, *losses);
        !written)
      return tl::unexpected(written.error());
    interval_begin_ns_ = now;
    losses_before_ = *losses;
  }
  return view_.status() != output::WriteStatus::Ok;
}

Result<void> KindCounter::tell(const Attachments& attachments, output::Metrics& out) {
  if (auto looked = look(attachments); !looked) return looked;
  const auto losses = tally(attachments).map(losses_of);
  if (!losses) return tl::unexpected(losses.error());
  const uint64_t length_ns = nanoseconds_of(CLOCK_MONOTONIC) - begin_ns_;
  view_.tell({true, nanoseconds_of(CLOCK_REALTIME), length_ns}, *losses, out);
  return {};
}

Result<void> KindCounter::finish(const Attachments& attachments) {
  if (kernel_counts_) {
    auto sums = attachments.kind_sums();
    if (!sums) return tl::unexpected(sums.error());
    view_.look_last(*sums);
  }
  const auto losses = tally(attachments).map(losses_of);
  if (!losses) return tl::unexpected(losses.error());
  const uint64_t length_ns = nanoseconds_of(CLOCK_MONOTONIC) - begin_ns_;
  return view_.finish({true, nanoseconds_of(CLOCK_REALTIME), length_ns}, *losses);
}

}  // namespace dbtrace::commands
