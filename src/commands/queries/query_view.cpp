#include "src/commands/queries/query_view.h"

#include <cstdlib>
#include <utility>

namespace dbtrace::commands {
namespace {

constexpr size_t kFlushBytes = 64 * 1024;

}  // namespace

QueryView::QueryView(const QueriesOptions& options, const model::Filter& filter, bool several,
                     output::Writer& writer)
    : options_(options), filter_(filter), several_(several), writer_(writer) {
  resized();
  if (!options_.running.show) sink_->begin(buffer_);
}

QueryView::QueryView(const QueriesOptions& options, const model::Filter& filter,
                     std::unique_ptr<output::Sink> sink, output::Writer& writer,
                     std::string_view shown_as)
    : options_(options), filter_(filter), several_(false), writer_(writer), sink_(std::move(sink)) {
  tally_.shown_as = shown_as;
  sink_->begin(buffer_);
}

void QueryView::resized() {
  sink_ = output::make_sink({.format = options_.format,
                             .width = writer_.width(),
                             .color = writer_.is_terminal() && !std::getenv("NO_COLOR"),
                             .mark_running = !options_.running.show,
                             .show_server = several_,
                             .budget = options_.session.tracer.budget && !options_.running.show});
}

bool QueryView::wants(const model::Query& query) {
  if (!ended() && filter_.accepts(query)) return true;
  ++(ended() ? tally_.surplus : tally_.filtered);
  return false;
}

void QueryView::show(const model::Query& query) {
  sink_->write(query, buffer_);
  ends_.push_back(buffer_.size());
  if (buffer_.size() >= kFlushBytes) flush();
}

void QueryView::report(const model::Query& running) {
  sink_->write(running, buffer_);
  ++tally_.reported;
}

void QueryView::show_running(RunningTable& table) {
  table.write(*sink_, options_.format, writer_.height(), buffer_);
  ++looks_;
}

void QueryView::finish() {
  sink_->finish(buffer_);
  flush();
}

void QueryView::flush() {
  for (const output::Lost& gap : std::exchange(gaps_, {})) sink_->lost(gap, buffer_);
  std::string_view rest = buffer_;
  if (status_ == output::WriteStatus::Ok && !rest.empty()) status_ = writer_.write(rest);
  const size_t written = buffer_.size() - rest.size();
  for (const size_t end : ends_) ++(end <= written ? tally_.shown : tally_.surplus);
  buffer_.clear();
  ends_.clear();
}

bool QueryView::ended() const {
  return status_ != output::WriteStatus::Ok ||
         (options_.limit && looks_ + tally_.shown + ends_.size() >= *options_.limit);
}

}  // namespace dbtrace::commands
