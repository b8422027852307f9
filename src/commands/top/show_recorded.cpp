#include "src/commands/top/show_recorded.h"

#include <chrono>

#include "src/commands/messages.h"
#include "src/commands/pace.h"
#include "src/commands/replay/countable.h"
#include "src/commands/replay/time_of_day.h"
#include "src/commands/run.h"
#include "src/commands/top/display.h"
#include "src/commands/top/recorded.h"

namespace dbtrace::commands::top {
namespace {

constexpr Action kOn{Action::What::StepOn};

void advance(Display& display, Recorded& recorded) {
  display.act(kOn, recorded);
  display.refresh(recorded);
}

// A page for each interval, and one of all.
Result<void> print(const TopOptions& options, Recorded& recorded) {
  output::Writer writer = output::Writer::standard_output(-1);
  Display display(options, writer, nullptr);
  display.refresh(recorded);
  display.show(recorded);
  for (uint64_t shown = 1; recorded.has_more() && recorded.read() && !display.has_ended() &&
                           (!options.limit || shown < *options.limit);
       ++shown) {
    advance(display, recorded);
    display.show(recorded);
  }
  // What ran at one moment is nobody's sum.
  if (recorded.read() && display.page() != Page::Running) {
    display.act({Action::What::SwitchOver}, recorded);
    display.show(recorded);
  }
  if (display.status() == output::WriteStatus::Failed) return fail(writer.error());
  return recorded.read();
}

// The user's clock: it stands at first, and goes as fast as the recording's own.
class Playing {
 public:
  Playing(const TopOptions& options, Recorded& recorded, Display& display)
      : options_(options),
        recorded_(recorded),
        display_(display),
        pace_(Pace::after_each(std::chrono::nanoseconds(options.interval_ns))) {
    display_.act({Action::What::Pause}, recorded_);
    display_.refresh(recorded_);
    display_.show(recorded_);
  }

  Tick tick() {
    display_.tick(recorded_);
    if (pace_.due() && !display_.paused()) step();
    if (display_.wants_drawing()) {
      display_.refresh(recorded_);
      display_.show(recorded_);
    }
    const bool ends =
        display_.has_ended() || !recorded_.read() || (options_.limit && played_ >= *options_.limit);
    return ends ? Tick::End : Tick::Idle;
  }

 private:
  void step() {
    if (!recorded_.has_more()) return display_.act({Action::What::Pause}, recorded_);
    advance(display_, recorded_);
    ++played_;
  }

  const TopOptions& options_;
  Recorded& recorded_;
  Display& display_;
  Pace pace_;
  uint64_t played_ = 0;
};

Result<void> play(const TopOptions& options, Recorded& recorded) {
  auto stop = Stop::catch_signals();
  if (!stop) return tl::unexpected(stop.error());
  output::Writer writer = output::Writer::standard_output(stop->fd());
  auto screen = Screen::open(writer);
  if (!screen) return tl::unexpected(screen.error());
  Display display(options, writer, &*screen);
  Playing playing(options, recorded, display);

  RunOptions run_options;
  run_options.stop_fd = stop->fd();
  run_options.resize_fd = stop->resize_fd();
  run_options.output_fd = writer.fd();
  run_options.input_fd = display.input_fd();
  RunHandlers handlers;
  handlers.tick = [&] { return playing.tick(); };
  handlers.resized = [&] { display.show(recorded); };
  handlers.input = [&] { return display.input(recorded); };
  const auto ended = commands::run(run_options, handlers);
  if (!ended) return tl::unexpected(ended.error());
  if (display.status() == output::WriteStatus::Failed) return fail(writer.error());
  return recorded.read();
}

}  // namespace

int show_recorded(const TopOptions& options, const model::Filter& filter) {
  auto replay = Replay::open(options.from);
  if (!replay) return complain(replay.error(), kFailed);
  const recording::Reader& reader = replay->reader();
  if (auto can = can_count(reader, options.kinds, options.choice); !can)
    return complain(can.error(), kUsage);
  const auto at_ns =
      options.at.empty() ? Result<uint64_t>(reader.begin_ns()) : time_within(reader, options.at);
  if (!at_ns) return complain(at_ns.error(), kUsage);
  auto recorded = Recorded::open(*replay, options, filter, *at_ns);
  if (!recorded) return complain(recorded.error(), kFailed);
  const Result<void> ran = options.batch ? print(options, **recorded) : play(options, **recorded);
  return replay->conclude((*recorded)->tally(), ran);
}

}  // namespace dbtrace::commands::top
