#include "src/commands/top/screen.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace dbtrace::commands::top {
namespace {

// The other screen, without a cursor; a line that is wider than it should be (terminals
// disagree about some characters) must not spoil the next.
constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[0m\x1b[2J";
// On a terminal that has no other screen the shell goes on below.
constexpr std::string_view kLeave = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[999;1H\r\n\x1b[?1049l";
constexpr std::string_view kEraseLine = "\x1b[K";
constexpr std::string_view kEraseBelow = "\x1b[J";

constexpr std::array kCrashes = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

// How the terminal was before it was taken over: for a crash, when nothing else can be
// trusted any more.
struct Before {
  int input = -1;
  int output = -1;
  termios settings{};
};
Before before;
volatile std::sig_atomic_t taken = 0;

void give_back() {
  taken = 0;
  ::tcsetattr(before.input, TCSANOW, &before.settings);
}

// Only what a signal handler may do. The handler is gone when it returns, and the crash
// happens again.
void on_crash(int number) {
  if (taken) {
    const int error = errno;
    give_back();
    (void)!::write(before.output, kLeave.data(), kLeave.size());
    errno = error;
  }
  ::raise(number);
}

void watch_crashes() {
  struct sigaction action {};
  action.sa_handler = on_crash;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int number : kCrashes) ::sigaction(number, &action, nullptr);
}

// Keys come one by one and unseen. Ctrl-C still ends the program (by a signal), Ctrl-Z is
// a key, and Ctrl-S does not stop the screen.
termios for_keys(termios settings) {
  settings.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | IEXTEN);
  settings.c_iflag &= ~static_cast<tcflag_t>(IXON);
  settings.c_cc[VMIN] = 1;
  settings.c_cc[VTIME] = 0;
  settings.c_cc[VSUSP] = _POSIX_VDISABLE;
  return settings;
}

bool is_too_simple(const char* terminal) {
  return !terminal || !*terminal || std::string_view(terminal) == "dumb";
}

}  // namespace

Result<Screen> Screen::open(output::Writer& writer) {
  constexpr const char* kHint = "--batch prints to files, pipes and logs";
  if (!writer.is_terminal()) return fail("standard output is no terminal", kHint);
  if (is_too_simple(std::getenv("TERM")))
    return fail("this terminal has no screen to draw on, says the variable TERM", kHint);
  UniqueFd keyboard;
  int input = STDIN_FILENO;
  if (::isatty(input) != 1) {
    keyboard = UniqueFd(::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (!keyboard) return fail("there is no keyboard: standard input is no terminal", kHint);
    input = keyboard.get();
  }
  Screen screen(writer, std::move(keyboard), input);
  if (::tcgetattr(input, &before.settings) != 0)
    return fail(fmt::format("cannot use the terminal: {}", std::strerror(errno)), kHint);
  before.input = input;
  before.output = STDOUT_FILENO;
  watch_crashes();
  if (screen.enter() != output::WriteStatus::Ok) return fail("cannot draw on the terminal", kHint);
  return screen;
}

Screen::Screen(Screen&& other) noexcept
    : writer_(std::exchange(other.writer_, nullptr)),
      keyboard_(std::move(other.keyboard_)),
      input_(other.input_),
      shown_(std::move(other.shown_)),
      shown_width_(other.shown_width_),
      shown_height_(other.shown_height_) {}

Screen::~Screen() {
  if (writer_) leave();
}

output::WriteStatus Screen::enter() {
  const termios settings = for_keys(before.settings);
  taken = 1;
  ::tcsetattr(input_, TCSANOW, &settings);
  forget();
  std::string_view bytes = kEnter;
  return writer_->write(bytes);
}

void Screen::leave() {
  if (!taken) return;
  give_back();
  std::string_view bytes = kLeave;
  (void)writer_->write(bytes);
}

std::optional<std::string> Screen::read() {
  std::string bytes(1024, '\0');
  const ssize_t length = ::read(input_, bytes.data(), bytes.size());
  if (length < 0 && (errno == EINTR || errno == EAGAIN)) return std::string();
  if (length <= 0) return std::nullopt;
  bytes.resize(static_cast<size_t>(length));
  return bytes;
}

size_t Screen::width() const {
  const size_t width = writer_->width();
  return width ? width : 80;
}

size_t Screen::height() const {
  const size_t height = writer_->height();
  return height ? height : 24;
}

output::WriteStatus Screen::show(const std::vector<std::string>& lines) {
  if (width() != shown_width_ || height() != shown_height_) forget();
  shown_width_ = width();
  shown_height_ = height();
  std::string bytes;
  for (size_t row = 0; row < lines.size(); ++row)
    if (row >= shown_.size() || shown_[row] != lines[row])
      // Erased first: behind a full line the cursor stands on its last character.
      bytes += fmt::format("\x1b[{};1H{}{}", row + 1, kEraseLine, lines[row]);
  if (lines.size() < shown_height_ && shown_.size() != lines.size())
    bytes += fmt::format("\x1b[{};1H{}", lines.size() + 1, kEraseBelow);
  shown_ = lines;
  std::string_view rest = bytes;
  return rest.empty() ? output::WriteStatus::Ok : writer_->write(rest);
}

output::WriteStatus Screen::suspend() {
  leave();
  // The shell's other processes of this job, too, as the terminal would have told them.
  ::kill(0, SIGTSTP);
  return enter();
}

}  // namespace dbtrace::commands::top
