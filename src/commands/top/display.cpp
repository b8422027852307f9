#include "src/commands/top/display.h"

#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <utility>

#include "src/commands/top/view.h"
#include "src/commands/wall_clock.h"

namespace dbtrace::commands::top {
namespace {

using output::WriteStatus;

// A key that begins others is one of its own when nothing follows for this long.
constexpr uint64_t kKeyPause_ns = 50'000'000;
// Of messages that wait for the end of the screen.
constexpr size_t kMostMessages = 64 * 1024;

}  // namespace

Display::Display(const TopOptions& options, output::Writer& writer, Screen* screen)
    : options_(options),
      writer_(writer),
      screen_(screen),
      color_(writer.is_terminal() && !std::getenv("NO_COLOR")),
      controls_(options.sort, options.page) {}

bool Display::input(Source& source) {
  const auto bytes = screen_->read();
  if (!bytes) return false;
  typed_ns_ = nanoseconds_of(CLOCK_MONOTONIC);
  act(decoder_.feed(*bytes), source);
  return true;
}

void Display::tick(Source& source) {
  if (decoder_.is_waiting() && nanoseconds_of(CLOCK_MONOTONIC) - typed_ns_ > kKeyPause_ns)
    act(decoder_.give_up(), source);
}

void Display::act(const std::vector<Key>& keys, Source& source) {
  for (const Key& key : keys) act(action_of(key, controls_.typing()), source);
}

void Display::act(const Action& action, Source& source) {
  message_.clear();
  wants_drawing_ = true;
  switch (action.what) {
    case Action::What::Quit:
      quit_ = true;
      return;
    case Action::What::Redraw:
      return screen_->forget();
    case Action::What::Suspend:
      status_ = screen_->suspend();
      return;
    default:
      controls_.apply(action, source.state(), room_on(screen_ ? screen_->height() : 0));
      source.act(action);
  }
}

void Display::show(const Source& source) {
  About about = source.about();
  about.message = message_;
  const Frame frame = draw(source.state(), controls_, about,
                           {.width = screen_ ? screen_->width() : writer_.width(),
                            .height = screen_ ? screen_->height() : 0,
                            .most_rows = screen_ ? SIZE_MAX : options_.rows,
                            .color = color_,
                            .several_servers = source.has_several_servers()});
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

bool Display::wants_drawing() { return std::exchange(wants_drawing_, false); }

void Display::say(std::string_view message) {
  message_ = message;
  if (messages_.size() < kMostMessages) messages_ += message;
  wants_drawing_ = true;
}

}  // namespace dbtrace::commands::top
