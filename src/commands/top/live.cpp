#include "src/commands/top/live.h"

#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <utility>

#include "src/commands/queries/running.h"
#include "src/commands/wall_clock.h"
#include "src/output/duration.h"

namespace dbtrace::commands::top {
namespace {

std::string describe(const std::vector<target::Server>& servers) {
  std::string text = servers.empty() ? std::string() : commands::describe(servers.back());
  if (servers.size() > 1) text += fmt::format(" and {} more", servers.size() - 1);
  return text;
}

}  // namespace

Live::Live(const TopOptions& options, const model::Filter& filter, const Session& session,
           Display& display)
    : options_(options),
      filter_(filter),
      session_(session),
      display_(display),
      kind_options_(kind_options(options, session.several())),
      state_(kind_options_, {.time_ns = nanoseconds_of(CLOCK_MONOTONIC), .lost = 0, .waits = {}}),
      pace_(Pace::after_each(std::chrono::nanoseconds(options.interval_ns))),
      ended_at_(clock_.at(nanoseconds_of(CLOCK_REALTIME) / output::kNanosecondsPerSecond)) {}

void Live::take(stream::Decoder& decoder, std::span<const std::byte> event) {
  const model::Query* query = decoder.feed(event);
  if (!query) return;
  if (query->running) {
    if (filter_.accepts(*query)) running_.push_back(*query);
  } else if (!filter_.accepts(*query)) {
    ++tally_.filtered;
  } else {
    ++tally_.shown;
    state_.add(*query, nanoseconds_of(CLOCK_MONOTONIC));
  }
}

Result<bool> Live::tick(Attachments& attachments) {
  display_.tick(*this);
  if (std::exchange(start_over_, false)) {
    if (auto started = start_over(attachments); !started) return tl::unexpected(started.error());
  }
  const bool due = pace_.due() && !display_.paused();
  if (std::exchange(wants_running_, false) || due) {
    if (auto looked = look_at_running(attachments); !looked) return tl::unexpected(looked.error());
  }
  if (due) {
    if (auto looked = end_interval(attachments); !looked) return tl::unexpected(looked.error());
    ++shown_;
  }
  if (display_.wants_drawing() || due) display_.show(*this);
  return display_.has_ended() || (options_.limit && shown_ >= *options_.limit);
}

void Live::resized() {
  if (display_.has_screen()) display_.show(*this);
}

About Live::about() const {
  std::string up = "up ";
  output::append_duration(up, state_.length_ns(Over::Run));
  return {.clock = ended_at_,
          .progress = up,
          .server = describe(session_.servers()),
          .cost = session_.cost().latest_text(),
          .keys =
              "F1 kinds F2 running F3 waits F4 I/O  Enter open  s sort  / filter  p pause  "
              "? help"};
}

void Live::act(const Action& action) {
  start_over_ |= action.what == Action::What::StartOver;
  wants_running_ |= action.what == Action::What::Show && action.page == Page::Running;
}

// The last interval is a part of the total, which is what is printed.
Result<void> Live::finish(const Attachments& attachments) {
  // What ran when the probes were there is nobody's sum.
  if (display_.has_screen() || display_.page() == Page::Running) return {};
  if (auto looked = end_interval(attachments); !looked) return looked;
  display_.act({Action::What::SwitchOver}, *this);
  display_.show(*this);
  return {};
}

Result<Look> Live::look(const Attachments& attachments) const {
  const auto counted = tally(attachments);
  if (!counted) return tl::unexpected(counted.error());
  Look look{.time_ns = nanoseconds_of(CLOCK_MONOTONIC), .lost = lost(*counted), .waits = {}};
  if (options_.no_budget || attachments.has_shed(attach::Feature::Time)) return look;
  auto waits = attachments.wait_sums();
  if (!waits) return tl::unexpected(waits.error());
  look.waits = std::move(*waits);
  return look;
}

Result<void> Live::end_interval(const Attachments& attachments) {
  auto looked = look(attachments);
  if (!looked) return tl::unexpected(looked.error());
  state_.end_interval(std::move(*looked));
  display_.refresh(*this);
  ended_at_ = clock_.at(nanoseconds_of(CLOCK_REALTIME) / output::kNanosecondsPerSecond);
  return {};
}

Result<void> Live::start_over(const Attachments& attachments) {
  auto looked = look(attachments);
  if (!looked) return tl::unexpected(looked.error());
  state_ = TopState(kind_options_, *looked);
  display_.start_over();
  return {};
}

// Looks at all threads of the machine: only while somebody wants to see it.
Result<void> Live::look_at_running(Attachments& attachments) {
  if (display_.page() != Page::Running) return {};
  running_.clear();
  auto told = attachments.running(
      [this](stream::Decoder& decoder, std::span<const std::byte> event) { take(decoder, event); });
  longest_first(running_);
  state_.set_running(std::exchange(running_, {}));
  return told;
}

}  // namespace dbtrace::commands::top
