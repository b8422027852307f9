#include "src/commands/io/recorded.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "src/commands/io/view.h"
#include "src/commands/messages.h"
#include "src/commands/replay/intervals.h"
#include "src/commands/replay/replay.h"
#include "src/output/counted.h"

namespace dbtrace::commands {
namespace {

class RecordedIo {
 public:
  RecordedIo(Replay& replay, const IoOptions& options, IoView& view)
      : reader_(replay.reader()),
        options_(options),
        view_(view),
        intervals_(reader_.begin_ns(), reader_.end_ns(), options.interval_ns) {}

  Result<void> show() {
    if (auto begun = reader_.begin_operations(view_.needs_queries()); !begun) return begun;
    while (!view_.has_ended()) {
      const auto operation = reader_.next_operation();
      if (!operation) return tl::unexpected(operation.error());
      if (!*operation) break;
      if (auto taken = take(**operation); !taken) return taken;
    }
    const auto lost = reader_.lost_operations(0, INT64_MAX);
    if (!lost) return tl::unexpected(lost.error());
    lost_ = *lost;
    view_.finish({true, reader_.end_ns(), reader_.end_ns() - reader_.begin_ns()}, lost_);
    return {};
  }
  [[nodiscard]] uint64_t lost() const { return lost_; }

 private:
  Result<void> take(const model::IoOperation& operation) {
    if (operation.duration_ns < options_.slower_than_ns.value_or(0) || !view_.wants(operation))
      return {};
    if (auto ended = advance(operation.start_ns + operation.duration_ns); !ended) return ended;
    view_.take(operation, view_.needs_queries() ? reader_.query_of_operation() : nullptr);
    return {};
  }

  // They come in the order of their ends, nearly.
  Result<void> advance(uint64_t now_ns) {
    const uint64_t number = intervals_.interval_of(intervals_.moment(now_ns));
    if (view_.is_list() || number <= number_) return {};
    const uint64_t ended = std::exchange(number_, number);
    if (!view_.has_interval()) return {};
    const uint64_t end_ns = intervals_.wall_ns(intervals_.end_of(ended));
    const auto lost =
        reader_.lost_operations(intervals_.wall_ns(intervals_.begin_of(ended)), end_ns);
    if (!lost) return tl::unexpected(lost.error());
    view_.end_interval({false, end_ns, options_.interval_ns}, *lost);
    view_.flush();
    return {};
  }

  recording::Reader& reader_;
  const IoOptions& options_;
  IoView& view_;
  Intervals intervals_;
  uint64_t number_ = 0;
  uint64_t lost_ = 0;
};

}  // namespace

int show_recorded_io(const IoOptions& options) {
  auto replay = Replay::open(options.from);
  if (!replay) return complain(replay.error(), kFailed);
  const auto is_there = replay->reader().has_operations();
  if (!is_there) return complain(is_there.error(), kFailed);
  if (!*is_there)
    return complain({options.from + " was recorded without single operations on files",
                     "dbtrace record --operations keeps them; what each query did with files, all "
                     "operations of a kind together, is in dbtrace queries --from FILE"},
                    kFailed);
  output::Writer writer = output::Writer::standard_output(-1);
  IoView view(options, replay->has_several_servers(), writer);
  RecordedIo recorded(*replay, options, view);
  Result<void> ran = recorded.show();
  if (ran && view.status() == output::WriteStatus::Failed) ran = fail(writer.error());
  Tally tally;
  tally.shown = view.told();
  tally.shown_as = view.told_as();
  tally.filtered = view.filtered();
  const int code = replay->conclude(tally, ran);
  if (recorded.lost())
    fmt::print(stderr, "  {} were lost, or more than --max-rate, while it was recorded\n",
               output::counted(recorded.lost(), "operation"));
  return code;
}

}  // namespace dbtrace::commands
