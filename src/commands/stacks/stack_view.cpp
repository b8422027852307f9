#include "src/commands/stacks/stack_view.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>
#include <utility>

#include "src/output/counted.h"
#include "src/output/redact.h"
#include "src/stacks/beginning.h"

namespace dbtrace::commands {
namespace {

// In one file that is written at the end, one query more is one more to choose from.
constexpr size_t kMostInOneFile = 200;
constexpr size_t kFlushBytes = 64 * 1024;

// Formats that are one file, written when all is known.
bool is_one_file(output::StackFormat format) {
  using output::StackFormat;
  return format == StackFormat::Speedscope || format == StackFormat::Svg ||
         format == StackFormat::Html;
}

}  // namespace

StackView::StackView(const StacksOptions& options, const model::Filter& filter, bool several,
                     stacks::FrameTable& frames, output::Writer& writer)
    : options_(options),
      filter_(filter),
      frames_(frames),
      writer_(writer),
      slowest_(kMostInOneFile) {
  tally_.shown_as = options.shown_as;
  if (options.by) {
    kinds::KindOptions by = *options.by;
    by.several_servers = several;
    by.redact = &output::redact;
    kinds_.emplace(by);
  }
  resized();
}

void StackView::resized() {
  sink_ = output::make_stack_sink({.format = options_.format,
                                   .width = writer_.width(),
                                   .color = writer_.is_terminal() && !std::getenv("NO_COLOR")},
                                  frames_);
}

bool StackView::wants(const model::Query& query) {
  uint64_t& count = ended()                  ? tally_.surplus
                    : filter_.accepts(query) ? tally_.shown
                                             : tally_.filtered;
  ++count;
  return &count == &tally_.shown;
}

void StackView::show(const model::Query& query, std::vector<model::Sample> samples) {
  if (!options_.begin_at.empty()) stacks::begin_at(options_.begin_at, samples, frames_);
  if (kinds_) return kinds_->add(query, samples);
  model::StackProfile profile = profile_of(query, std::move(samples));
  if (is_one_file(options_.format)) return slowest_.add(std::move(profile));
  sink_->add(profile, buffer_);
  if (buffer_.size() >= kFlushBytes) flush();
}

void StackView::finish() {
  if (kinds_)
    for (const model::StackProfile& profile : kinds_->take()) sink_->add(profile, buffer_);
  for (const model::StackProfile& profile : slowest_.take()) sink_->add(profile, buffer_);
  sink_->finish(buffer_);
  flush();
}

void StackView::flush() {
  std::string_view rest = buffer_;
  if (status_ == output::WriteStatus::Ok && !rest.empty()) status_ = writer_.write(rest);
  buffer_.clear();
}

bool StackView::ended() const {
  return status_ != output::WriteStatus::Ok || (options_.limit && tally_.shown >= *options_.limit);
}

std::string StackView::left_out() const {
  if (!slowest_.left_out()) return {};
  return fmt::format("  {} left out: only the {} slowest are in the file\n",
                     output::counted(slowest_.left_out(), "query", "queries"), kMostInOneFile);
}

}  // namespace dbtrace::commands
