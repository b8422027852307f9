#include "src/commands/top/top.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <utility>

#include "src/commands/messages.h"
#include "src/commands/pace.h"
#include "src/commands/queries/running.h"
#include "src/commands/top/keys.h"
#include "src/commands/top/screen.h"
#include "src/commands/top/view.h"
#include "src/commands/tracing/summary.h"
#include "src/commands/wall_clock.h"
#include "src/output/clock_text.h"
#include "src/output/redact.h"

namespace dbtrace::commands {
namespace {

using output::WriteStatus;
using top::Action;
using top::Controls;
using top::Page;
using top::TopState;

// A key that begins others is one of its own when nothing follows for this long.
constexpr uint64_t kKeyPause_ns = 50'000'000;
// Of messages that wait for the end of the screen.
constexpr size_t kMostMessages = 64 * 1024;

std::string describe(const std::vector<target::Server>& servers) {
  std::string text = servers.empty() ? std::string() : commands::describe(servers.back());
  if (servers.size() > 1) text += fmt::format(" and {} more", servers.size() - 1);
  return text;
}

// From events to pages. Pages go to a screen, or one after the other to the writer.
class Top final : public Consumer {
 public:
  // `screen`: null for a batch.
  Top(const TopOptions& options, const model::Filter& filter, const Session& session,
      output::Writer& writer, top::Screen* screen)
      : options_(options),
        filter_(filter),
        session_(session),
        writer_(writer),
        screen_(screen),
        color_(writer.is_terminal() && !std::getenv("NO_COLOR")),
        kind_options_{.by = options.kinds.by,
                      .mode = options.kinds.mode,
                      .max_kinds = options.kinds.max_kinds,
                      .several_servers = session.several(),
                      .redact = output::redact},
        state_(kind_options_, {.time_ns = nanoseconds_of(CLOCK_MONOTONIC), .lost = 0, .waits = {}}),
        controls_(options.sort, options.page),
        pace_(Pace::after_each(std::chrono::nanoseconds(options.interval_ns))) {}

  void take(stream::Decoder& decoder, std::span<const std::byte> event) override {
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

  Result<bool> tick(Attachments& attachments) override {
    if (decoder_.is_waiting() && nanoseconds_of(CLOCK_MONOTONIC) - typed_ns_ > kKeyPause_ns)
      act(decoder_.give_up());
    if (std::exchange(start_over_, false)) {
      if (auto started = start_over(attachments); !started) return tl::unexpected(started.error());
    }
    const bool due = pace_.due() && !controls_.paused();
    if (std::exchange(wants_running_, false) || due) {
      if (auto looked = look_at_running(attachments); !looked)
        return tl::unexpected(looked.error());
    }
    if (due) {
      if (auto looked = end_interval(attachments); !looked) return tl::unexpected(looked.error());
      ++shown_;
    }
    if (std::exchange(wants_drawing_, false) || due) show();
    return quit_ || status_ != WriteStatus::Ok || (options_.limit && shown_ >= *options_.limit);
  }

  void resized() override {
    if (screen_) show();
  }

  [[nodiscard]] int input_fd() const override { return screen_ ? screen_->input_fd() : -1; }

  bool input() override {
    const auto bytes = screen_->read();
    if (!bytes) return false;
    typed_ns_ = nanoseconds_of(CLOCK_MONOTONIC);
    act(decoder_.feed(*bytes));
    return true;
  }

  // Something that there is to say while nobody else may write.
  void said(std::string_view message) {
    message_ = message;
    if (messages_.size() < kMostMessages) messages_ += message;
    wants_drawing_ = true;
  }
  [[nodiscard]] const std::string& messages() const { return messages_; }

  // The last interval is a part of the total, which is what is printed.
  [[nodiscard]] Result<void> finish(const Attachments& attachments) {
    // What ran when the probes were there is nobody's sum.
    if (screen_ || controls_.page() == Page::Running) return {};
    if (auto looked = end_interval(attachments); !looked) return looked;
    controls_.apply({Action::What::SwitchOver}, state_, 0);
    show();
    return {};
  }

  [[nodiscard]] WriteStatus status() const { return status_; }
  [[nodiscard]] Result<Tally> tally(const Attachments& attachments) const {
    return completed(tally_, attachments);
  }

 private:
  void act(const std::vector<top::Key>& keys) {
    for (const top::Key& key : keys) act(top::action_of(key, controls_.typing()));
  }

  void act(const Action& action) {
    message_.clear();
    wants_drawing_ = true;
    switch (action.what) {
      case Action::What::Quit:
        quit_ = true;
        break;
      case Action::What::StartOver:
        start_over_ = true;
        break;
      case Action::What::Redraw:
        screen_->forget();
        break;
      case Action::What::Suspend:
        status_ = screen_->suspend();
        break;
      default:
        controls_.apply(action, state_, top::room_on(screen_->height()));
        wants_running_ |= action.what == Action::What::Show && action.page == Page::Running;
    }
  }

  Result<top::Look> look(const Attachments& attachments) const {
    const auto counted = tally(attachments);
    if (!counted) return tl::unexpected(counted.error());
    top::Look look{
        .time_ns = nanoseconds_of(CLOCK_MONOTONIC), .lost = lost(*counted), .waits = {}};
    if (options_.no_budget || attachments.has_shed(attach::Feature::Time)) return look;
    auto waits = attachments.wait_sums();
    if (!waits) return tl::unexpected(waits.error());
    look.waits = std::move(*waits);
    return look;
  }

  Result<void> end_interval(const Attachments& attachments) {
    auto looked = look(attachments);
    if (!looked) return tl::unexpected(looked.error());
    state_.end_interval(std::move(*looked));
    controls_.refresh(state_);
    about_clock_ = clock_.at(nanoseconds_of(CLOCK_REALTIME) / output::kNanosecondsPerSecond);
    return {};
  }

  Result<void> start_over(const Attachments& attachments) {
    auto looked = look(attachments);
    if (!looked) return tl::unexpected(looked.error());
    state_ = TopState(kind_options_, *looked);
    controls_.start_over();
    return {};
  }

  // Looks at all threads of the machine: only while somebody wants to see it.
  Result<void> look_at_running(Attachments& attachments) {
    if (controls_.page() != Page::Running) return {};
    running_.clear();
    auto told =
        attachments.running([this](stream::Decoder& decoder, std::span<const std::byte> event) {
          take(decoder, event);
        });
    longest_first(running_);
    state_.set_running(std::exchange(running_, {}));
    return told;
  }

  void show() {
    const top::Frame frame = top::draw(
        state_, controls_,
        {.clock = about_clock_,
         .server = describe(session_.servers()),
         .cost = session_.cost().latest_text(),
         .message = message_},
        {.width = screen_ ? screen_->width() : writer_.width(),
         .height = screen_ ? screen_->height() : 0,
         .most_rows = screen_ ? SIZE_MAX : options_.rows,
         .color = color_,
         .several_servers = session_.several()});
    controls_.limit_scroll(frame.most_scroll);
    if (status_ != WriteStatus::Ok) return;
    if (screen_) {
      status_ = screen_->show(frame.lines);
      return;
    }
    const std::string text = fmt::format("{}\n\n", fmt::join(frame.lines, "\n"));
    std::string_view rest = text;
    status_ = writer_.write(rest);
  }

  const TopOptions& options_;
  const model::Filter& filter_;
  const Session& session_;
  output::Writer& writer_;
  top::Screen* screen_;
  const bool color_;
  const kinds::KindOptions kind_options_;
  TopState state_;
  Controls controls_;
  Pace pace_;
  top::KeyDecoder decoder_;
  uint64_t typed_ns_ = 0;
  output::ClockText clock_{output::Zone::Local, "%H:%M:%S"};
  std::string about_clock_ =
      std::string(clock_.at(nanoseconds_of(CLOCK_REALTIME) / output::kNanosecondsPerSecond));
  std::vector<model::Query> running_;
  std::string message_, messages_;
  Tally tally_{.shown_as = "counted"};
  uint64_t shown_ = 0;
  bool quit_ = false;
  bool start_over_ = false;
  bool wants_running_ = false;
  bool wants_drawing_ = false;
  WriteStatus status_ = WriteStatus::Ok;
};

SessionOptions session_options(const TopOptions& options) {
  SessionOptions session = options.session;
  session.shows_cost = true;
  choose_in_kernel(options.choice, session.tracer);
  session.tracer.running = true;
  session.tracer.budget = session.tracer.waits = session.plan.waits = !options.no_budget;
  return session;
}

// Until it ends; the terminal is a shell's again then.
Result<void> run_on_screen(Session& session, const TopOptions& options, const model::Filter& filter,
                           output::Writer& writer, std::optional<Top>& top) {
  Result<void> ran;
  {
    auto screen = top::Screen::open(writer);
    if (!screen) return tl::unexpected(screen.error());
    top.emplace(options, filter, session, writer, &*screen);
    session.tell([&](std::string_view message) { top->said(message); });
    top->resized();
    ran = session.run(*top, writer);
    session.tell({});
  }
  session.say(top->messages());
  return ran;
}

int trace(Session& session, const TopOptions& options, const model::Filter& filter,
          output::Writer& writer) {
  if (auto attached = session.attach(); !attached)
    return complain(attached.error().error, attached.error().exit_code);
  std::optional<Top> top;
  Result<void> ran;
  if (options.batch) {
    top.emplace(options, filter, session, writer, nullptr);
    ran = session.run(*top, writer);
  } else {
    ran = run_on_screen(session, options, filter, writer, top);
  }
  if (top) {
    session.detach(*top);
    if (ran) ran = top->finish(session.attachments());
    if (ran && top->status() == WriteStatus::Failed) ran = fail(writer.error());
    return session.conclude(top->tally(session.attachments()).map(summary), ran);
  }
  session.say(text_of(ran.error()));
  return kFailed;
}

}  // namespace

int run_top(const TopOptions& options) {
  auto filter = make_filter(options.choice, false);
  if (!filter) return complain(filter.error(), kUsage);
  auto session = Session::prepare(session_options(options), [&](const attach::Plan& plan) {
    return commands_to_count(plan, options.choice, *filter);
  });
  if (!session) return complain(session.error().error, session.error().exit_code);
  output::Writer writer = output::Writer::standard_output(session->stop_fd());
  if (!options.session.explain) return trace(*session, options, *filter, writer);
  std::string_view text = session->explanation();
  return writer.write(text) == WriteStatus::Failed ? kFailed : kDone;
}

}  // namespace dbtrace::commands
