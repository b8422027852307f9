#include "src/commands/io/view.h"

#include <cstddef>
#include <cstdlib>
#include <string_view>

namespace dbtrace::commands {
namespace {

constexpr size_t kFlushBytes = 64 * 1024;

}  // namespace

IoView::IoView(const IoOptions& options, bool several, output::Writer& writer)
    : options_(options),
      is_list_(options.slower_than_ns.has_value()),
      writer_(writer),
      subjects_(options.by),
      report_(options.format == IoFormat::Json
                  ? io_json()
                  : io_text(writer.is_terminal() && !std::getenv("NO_COLOR"), several)) {
  resized();
  if (is_list_) report_->begin_list(buffer_);
}

bool IoView::wants(const model::IoOperation& operation) {
  if (options_.filter.accepts(operation)) return true;
  ++filtered_;
  return false;
}

void IoView::take(const model::IoOperation& operation, const model::Query* query) {
  ++told_;
  if (!is_list_) {
    interval_.add(subjects_.of(operation, query), operation, query);
    return;
  }
  report_->operation(operation, query, buffer_);
  if (buffer_.size() >= kFlushBytes) flush();
}

void IoView::rename_table(const std::string& from, const std::string& to) {
  for (IoTable* table : {&interval_, &total_}) table->rename_table(from, to, options_.by);
}

void IoView::end_interval(const Span& span, uint64_t lost) {
  report_->table(span, interval_, options_.by, lost, buffer_);
  total_.merge(interval_);
  interval_.clear();
}

void IoView::finish(const Span& span, uint64_t lost) {
  if (!is_list_) {
    total_.merge(interval_);
    report_->table(span, total_, options_.by, lost, buffer_);
  }
  flush();
}

void IoView::flush() {
  std::string_view rest = buffer_;
  if (!has_ended() && !rest.empty()) status_ = writer_.write(rest);
  buffer_.clear();
}

}  // namespace dbtrace::commands
