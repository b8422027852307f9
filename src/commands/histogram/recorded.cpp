#include "src/commands/histogram/recorded.h"

#include <algorithm>

#include "src/commands/replay/countable.h"

namespace dbtrace::commands {
namespace {

// Intervals and stretches of a recording's time. Queries come in the order of their ends, nearly.
class Clock {
 public:
  Clock(const Replay& replay, const HistogramOptions& options, KindView& view)
      : lost_(losses_of(replay)),
        begin_ns_(replay.reader().begin_ns()),
        end_ns_(replay.reader().end_ns()),
        interval_ns_(options.interval_ns),
        interval_begin_ns_(begin_ns_),
        saves_(options.keeps_slices() && !replay.reader().is_sampled()),
        stretch_end_ns_(begin_ns_ + stretch_ns_),
        view_(view) {}

  // No query ends after its recording, but in a file that anybody may have made.
  Result<void> advance(uint64_t now_ns) {
    now_ns = std::min(now_ns, end_ns_);
    for (; saves_ && now_ns >= stretch_end_ns_; stretch_end_ns_ += stretch_ns_)
      if (view_.end_stretch()) stretch_ns_ *= 2;
    while (interval_ns_ && now_ns >= interval_begin_ns_ + interval_ns_) {
      interval_begin_ns_ += interval_ns_;
      // When what was lost was lost is not looked at: it is told of at the end.
      auto written =
          view_.end_interval({false, interval_begin_ns_, interval_ns_},
                             {true, interval_begin_ns_, interval_begin_ns_ - begin_ns_}, {}, lost_);
      if (!written) return written;
    }
    return {};
  }

 private:
  HistogramLosses lost_;
  uint64_t begin_ns_, end_ns_;
  uint64_t interval_ns_;
  uint64_t interval_begin_ns_;
  bool saves_;
  uint64_t stretch_ns_ = 250'000'000;
  uint64_t stretch_end_ns_;
  KindView& view_;
};

}  // namespace

Result<void> can_count(const recording::Reader& reader, const HistogramOptions& options) {
  if (auto can = can_count(reader, options.kinds, options.choice); !can) return can;
  if (reader.is_sampled() && options.interval_ns)
    return tl::unexpected(needs_every_query("--interval"));
  return {};
}

HistogramLosses losses_of(const Replay& replay) {
  return {.lost = replay.lost(),
          .without_text = replay.without_text(),
          .without_budget = replay.without_budget()};
}

Result<void> count(Replay& replay, const HistogramOptions& options, KindView& view) {
  replay.choose(options.choice, true);
  const auto examples = replay.reader().examples();
  if (!examples) return tl::unexpected(examples.error());
  for (const model::Query& example : *examples) view.take(example);

  Clock clock(replay, options, view);
  Result<void> kept;
  auto read = replay.each([&](const model::Query& query) {
    kept = clock.advance(query.start_ns + query.duration_ns);
    view.take(query);
    return kept.has_value() && view.status() == output::WriteStatus::Ok;
  });
  if (!read || !kept) return read ? kept : read;
  const auto sums = replay.reader().sums();
  if (!sums) return tl::unexpected(sums.error());
  view.look_last(*sums);
  return {};
}

}  // namespace dbtrace::commands
