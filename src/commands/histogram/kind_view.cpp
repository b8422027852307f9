#include "src/commands/histogram/kind_view.h"

#include <cstdlib>

#include "src/commands/histogram/metrics.h"
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

}  // namespace

KindView::KindView(const HistogramOptions& options, const model::Filter& filter,
                   bool several_servers, output::Writer& writer)
    : options_(options),
      filter_(filter),
      writer_(writer),
      table_(kind_options(options, several_servers)) {
  const size_t top = options.top.value_or(0);
  switch (options.format) {
    case HistogramFormat::Text:
      resized();
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

void KindView::resized() {
  if (options_.format != HistogramFormat::Text) return;
  HistogramTextOptions text;
  if (options_.top) text.top = *options_.top;
  if (options_.draw) text.draw_total = text.draw_intervals = *options_.draw;
  text.width = writer_.width();
  text.color = writer_.is_terminal() && !std::getenv("NO_COLOR");
  format_ = histogram_text(text);
}

void KindView::take(const model::Query& query) {
  if (query.kind)
    others_.example(query);
  else if (filter_.accepts(query))
    table_.add(query);
  else
    ++filtered_;
}

KindReport KindView::report(const Span& span, const HistogramLosses& losses) const {
  KindReport report{.span = span,
                    .kinds = table_.kinds(),
                    .ranked = {},
                    .all = span.total ? table_.total_of_all() : table_.interval_of_all(),
                    .losses = losses};
  for (uint32_t kind = 0; kind < table_.kinds().size(); ++kind) {
    const model::Sums& sums = span.total ? table_.total(kind) : table_.interval(kind);
    if (sums.count) report.ranked.push_back({kind, &sums});
  }
  kinds::sort(report.ranked, options_.sort);
  return report;
}

Result<void> KindView::write(const KindReport& report) {
  std::string out;
  format_->add(report, out);
  // What scrapers read is the state, not a log of states.
  if (options_.format == HistogramFormat::Prometheus && !options_.output_file.empty())
    return output::replace_file(options_.output_file, out);
  std::string_view rest = out;
  if (status_ == output::WriteStatus::Ok) status_ = writer_.write(rest);
  return {};
}

Result<void> KindView::end_interval(const Span& interval, const Span& total,
                                    const HistogramLosses& lost_in_it,
                                    const HistogramLosses& lost) {
  if (options_.format == HistogramFormat::Prometheus) {
    table_.end_interval();
    return write(report(total, lost));
  }
  auto written = write(report(interval, lost_in_it));
  table_.end_interval();
  return written;
}

void KindView::tell(const Span& total, const HistogramLosses& lost, output::Metrics& out) {
  table_.end_interval();
  tell_kinds(report(total, lost), options_.top.value_or(0), out);
}

void KindView::close() {
  table_.end_interval();
  if (options_.keeps_slices()) (void)slices_.end_stretch(table_);
}

Result<void> KindView::finish(const Span& total, const HistogramLosses& lost) {
  close();
  auto written = write(report(total, lost));
  if (options_.save_file.empty()) return written;
  auto saved_run = output::replace_file(options_.save_file, saved(total, lost));
  return written ? saved_run : written;
}

std::string KindView::saved(const Span& total, const HistogramLosses& lost) const {
  std::string json;
  histogram_json(0, &slices_)->add(report(total, lost), json);
  return json;
}

}  // namespace dbtrace::commands
