#include "src/commands/histogram/counter.h"

#include <chrono>
#include <cstdlib>
#include <ctime>

#include "src/commands/wall_clock.h"
#include "src/output/redact.h"
#include "src/output/whole_file.h"

namespace dbtrace::commands {
namespace {

kinds::KindOptions kind_options(const HistogramOptions& options, bool several_servers) {
  kinds::KindOptions kinds = options.kinds;
  kinds.several_servers = several_servers;
  kinds.redact = output::redact;
  return kinds;
}

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
    : options_(options),
      filter_(filter),
      kernel_counts_(kernel_counts),
      writer_(writer),
      table_(kind_options(options, several_servers)),
      pace_(options.interval_ns ? Pace::after_each(std::chrono::nanoseconds(options.interval_ns))
                                : Pace()),
      stretch_(kFirstStretch),
      slice_pace_(options.save_file.empty() ? Pace() : Pace::after_each(stretch_)),
      begin_ns_(nanoseconds_of(CLOCK_MONOTONIC)),
      interval_begin_ns_(begin_ns_) {
  const size_t top = options.top.value_or(0);
  switch (options.format) {
    case HistogramFormat::Text:
      use_width();
      break;
    case HistogramFormat::Json:
      format_ = histogram_json(top);
      break;
    case HistogramFormat::Csv:
      format_ = histogram_csv(top);
      break;
    case HistogramFormat::Prometheus:
      format_ = histogram_prometheus(top);
      break;
  }
}

void KindCounter::use_width() {
  if (options_.format != HistogramFormat::Text) return;
  HistogramTextOptions text;
  if (options_.top) text.top = *options_.top;
  if (options_.draw) text.draw_total = text.draw_intervals = *options_.draw;
  text.width = writer_.width();
  text.color = writer_.is_terminal() && !std::getenv("NO_COLOR");
  format_ = histogram_text(text);
}

void KindCounter::take(stream::Decoder& decoder, std::span<const std::byte> event) {
  const model::Query* query = decoder.feed(event);
  if (!query || query->running) return;
  if (query->kind)
    kernel_.example(*query);
  else if (filter_.accepts(*query))
    table_.add(*query);
  else
    ++filtered_;
}

Result<Tally> KindCounter::tally(const Attachments& attachments) const {
  Tally tally;
  tally.shown = table_.total_of_all().count + table_.interval_of_all().count;
  tally.filtered = filtered_;
  tally.shown_as = "counted";
  return completed(tally, attachments);
}

KindReport KindCounter::report(bool total, uint64_t length_ns,
                               const HistogramLosses& losses) const {
  KindReport report{
      .span = {.total = total, .end_ns = nanoseconds_of(CLOCK_REALTIME), .length_ns = length_ns},
      .kinds = table_.kinds(),
      .ranked = {},
      .all = total ? table_.total_of_all() : table_.interval_of_all(),
      .losses = losses};
  for (uint32_t kind = 0; kind < table_.kinds().size(); ++kind) {
    const model::Sums& sums = total ? table_.total(kind) : table_.interval(kind);
    if (sums.count) report.ranked.push_back({kind, &sums});
  }
  kinds::sort(report.ranked, options_.sort);
  return report;
}

Result<void> KindCounter::write(const KindReport& report) {
  std::string out;
  format_->add(report, out);
  // What scrapers read is the state, not a log of states.
  if (options_.format == HistogramFormat::Prometheus && !options_.output_file.empty())
    return output::replace_file(options_.output_file, out);
  std::string_view rest = out;
  if (status_ == output::WriteStatus::Ok) status_ = writer_.write(rest);
  return {};
}

Result<void> KindCounter::look(const Attachments& attachments) {
  if (!kernel_counts_) return {};
  auto sums = attachments.kind_sums();
  if (!sums) return tl::unexpected(sums.error());
  kernel_.look(*sums);
  return {};
}

Result<void> KindCounter::end_stretch(const Attachments& attachments) {
  if (auto looked = look(attachments); !looked) return looked;
  if (slices_.end_stretch(table_)) {
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
    const auto losses_now = tally(attachments).map(losses_of);
    if (!losses_now) return tl::unexpected(losses_now.error());
    const HistogramLosses& losses = *losses_now;
    const bool total = options_.format == HistogramFormat::Prometheus;
    HistogramLosses since = losses;
    since.subtract(losses_before_);
    if (total) table_.end_interval();
    const auto written = total ? write(report(true, now - begin_ns_, losses))
                               : write(report(false, now - interval_begin_ns_, since));
    if (!written) return tl::unexpected(written.error());
    if (!total) table_.end_interval();
    interval_begin_ns_ = now;
    losses_before_ = losses;
  }
  return status_ != output::WriteStatus::Ok;
}

Result<void> KindCounter::finish(const Attachments& attachments) {
  if (kernel_counts_) {
    auto sums = attachments.kind_sums();
    if (!sums) return tl::unexpected(sums.error());
    kernel_.finish(*sums);
  }
  table_.end_interval();
  const auto losses = tally(attachments).map(losses_of);
  if (!losses) return tl::unexpected(losses.error());
  const KindReport whole = report(true, nanoseconds_of(CLOCK_MONOTONIC) - begin_ns_, *losses);
  const auto written = write(whole);
  if (options_.save_file.empty()) return written;
  slices_.end_stretch(table_);
  std::string json;
  histogram_json(0, &slices_)->add(whole, json);
  auto saved = output::replace_file(options_.save_file, json);
  return written ? saved : written;
}

}  // namespace dbtrace::commands
