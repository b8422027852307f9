#include "tests/runtime/terminal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace dbtrace::testing {

Terminal::Terminal(const std::vector<std::string>& arguments, unsigned short columns)
    : master_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)) {
  std::array<char, 64> name{};
  if (!master_ || ::grantpt(master_.get()) != 0 || ::unlockpt(master_.get()) != 0 ||
      ::ptsname_r(master_.get(), name.data(), name.size()) != 0)
    throw std::runtime_error("no terminal");
  resize(columns);
  // The first terminal that a session's leader opens becomes the session's.
  std::vector<std::string> command = {
      "/bin/sh", "-c", R"(tty=$1; shift; exec "$@" <>"$tty" >&0 2>&0)", "sh", name.data()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  process_ = std::make_unique<ChildProcess>(ChildOptions{.arguments = command});
}

const std::string& Terminal::screen() {
  std::array<char, 65536> bytes;
  for (ssize_t size = 0; (size = ::read(master_.get(), bytes.data(), bytes.size())) > 0;)
    for (const char byte : std::string_view(bytes.data(), static_cast<size_t>(size)))
      if (byte != '\r') screen_ += byte;
  return screen_;
}

bool Terminal::wait_for(const std::string& text, std::chrono::seconds timeout) {
  return wait_until([&] { return screen().find(text) != std::string::npos; }, timeout);
}

void Terminal::type(const std::string& keys) {
  if (::write(master_.get(), keys.data(), keys.size()) != static_cast<ssize_t>(keys.size()))
    throw std::runtime_error("cannot type");
}

void Terminal::resize(unsigned short columns) {
  winsize size{};
  size.ws_col = columns;
  size.ws_row = 24;
  if (::ioctl(master_.get(), TIOCSWINSZ, &size) != 0) throw std::runtime_error("cannot resize");
}

}  // namespace dbtrace::testing
