#include "src/commands/waits/recorded.h"

#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <utility>

#include "src/commands/messages.h"
#include "src/commands/replay/intervals.h"
#include "src/commands/replay/replay.h"
#include "src/commands/waits/view.h"
#include "src/output/clock_text.h"

namespace dbtrace::commands {
namespace {

// Seconds become intervals, of which none is shorter than a second.
class Sums {
 public:
  Sums(Intervals intervals, WaitsView& view) : intervals_(intervals), view_(view) {}

  void add(const model::Spending& second) {
    const uint64_t number = intervals_.interval_of(intervals_.moment(second.end_ns));
    append(interval_, second);
    append(total_, second);
    // The second in which an interval ends is its last.
    if (number == number_) return;
    number_ = number;
    view_.show(*std::exchange(interval_, std::nullopt), false);
  }
  [[nodiscard]] const std::optional<model::Spending>& total() const { return total_; }

 private:
  static void append(std::optional<model::Spending>& sum, const model::Spending& second) {
    if (sum)
      sum->append(second);
    else
      sum = second;
  }

  Intervals intervals_;
  WaitsView& view_;
  uint64_t number_ = 0;
  std::optional<model::Spending> interval_, total_;
};

// The sums are the first that is given up when tracing costs too much.
void say_unless_complete(const Replay& replay, const model::Spending& total) {
  constexpr uint64_t kPatience_ns = 3'000'000'000;
  if (total.end_ns + kPatience_ns >= replay.reader().end_ns()) return;
  output::ClockText clock(output::Zone::Local, "%H:%M:%S");
  fmt::print(stderr, "  after {} there are no sums of queries' time\n",
             clock.at(total.end_ns / output::kNanosecondsPerSecond));
}

Result<void> show(Replay& replay, const WaitsOptions& options, WaitsView& view, Tally& tally) {
  const recording::Reader& reader = replay.reader();
  Sums sums({reader.begin_ns(), reader.end_ns(), options.interval_ns}, view);
  while (!view.has_ended()) {
    const auto second = replay.reader().next_second();
    if (!second) return tl::unexpected(second.error());
    if (!*second) break;
    sums.add(**second);
  }
  const auto& total = sums.total();
  if (!total)
    return fail(options.from + " was recorded without the sums of all queries' time",
                "dbtrace record keeps them, unless --no-budget; files of version 1 or 2 have none");
  view.show(*total, true);
  tally.shown = total->queries;
  say_unless_complete(replay, *total);
  return {};
}

}  // namespace

int show_recorded_waits(const WaitsOptions& options) {
  auto replay = Replay::open(options.from);
  if (!replay) return complain(replay.error(), kFailed);
  output::Writer writer = output::Writer::standard_output(-1);
  WaitsView view(options, writer);
  Tally tally;
  tally.shown_as = "counted";
  Result<void> ran = show(*replay, options, view, tally);
  if (ran && view.status() == output::WriteStatus::Failed) ran = fail(writer.error());
  return ran ? replay->conclude(tally, ran) : complain(ran.error(), kFailed);
}

}  // namespace dbtrace::commands
