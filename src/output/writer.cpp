#include "src/output/writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

namespace dbtrace::output {
namespace {

bool may_stall(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return true;
  return S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) || ::isatty(fd) == 1;
}

constexpr int kStallMilliseconds = 200;

// A terminal blocks a write that it has only some room for, and a blocked write
// hears no signal. O_NONBLOCK would be the shell's trouble too, unless it is set
// on an open file of our own. Nothing when that cannot be had.
UniqueFd own_terminal(int fd) {
  if (::isatty(fd) != 1) return {};
  return UniqueFd(::open(fmt::format("/proc/self/fd/{}", fd).c_str(),
                         O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

// A file that was there before may be everybody's to read, or somebody else's. What is no file has
// no content of ours.
Result<void> make_private_and_empty(int fd, const std::string& path) {
  struct stat status {};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return {};
  if (status.st_uid != ::geteuid())
    return fail(fmt::format("cannot write {}: it belongs to another user, who could read it", path),
                "remove it, or choose another name");
  const bool is_private = (status.st_mode & 07777) == 0600 || ::fchmod(fd, 0600) == 0;
  if (is_private && ::ftruncate(fd, 0) == 0) return {};
  return fail(fmt::format("cannot make {} its owner's alone: {}", path, std::strerror(errno)));
}

// As much as a writable pipe takes without blocking, and takes whole: lines, so
// that none is left unfinished should the reader stall.
size_t piece_size(std::string_view bytes) {
  if (bytes.size() <= PIPE_BUF) return bytes.size();
  const size_t line_end = bytes.rfind('\n', PIPE_BUF - 1);
  return line_end == std::string_view::npos ? PIPE_BUF : line_end + 1;
}

int milliseconds_until(std::chrono::steady_clock::time_point end) {
  const auto left = end - std::chrono::steady_clock::now();
  const auto rounded_up = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  return static_cast<int>(std::max<int64_t>(rounded_up, 0));
}

}  // namespace

Writer::Writer(UniqueFd owned, int fd, int stop_fd)
    : owned_(std::move(owned)),
      fd_(owned_ ? owned_.get() : fd),
      stop_fd_(stop_fd),
      may_stall_(may_stall(fd_)) {}

Writer Writer::standard_output(int stop_fd) {
  return {own_terminal(STDOUT_FILENO), STDOUT_FILENO, stop_fd};
}

Writer Writer::standard_error() {
  Writer writer(own_terminal(STDERR_FILENO), STDERR_FILENO, -1);
  writer.is_for_messages_ = true;
  return writer;
}

Result<Writer> Writer::file(const std::string& path, int stop_fd) {
  // A pipe that nobody reads would block here, where no signal is heard.
  constexpr int kFlags = O_WRONLY | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  UniqueFd file(::open(path.c_str(), kFlags, 0600));
  if (!file && errno == ENXIO) return fail(fmt::format("cannot write {}: nobody reads it", path));
  if (!file) return fail(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  if (auto made = make_private_and_empty(file.get(), path); !made)
    return tl::unexpected(made.error());
  return Writer(std::move(file), -1, stop_fd);
}

bool Writer::is_terminal() const { return ::isatty(fd_) == 1; }

size_t Writer::width() const {
  winsize size{};
  if (!is_terminal() || ::ioctl(fd_, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

size_t Writer::height() const {
  winsize size{};
  if (!is_terminal() || ::ioctl(fd_, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_row;
}

WriteStatus Writer::wait_writable() {
  while (true) {
    const int timeout = give_up_  ? milliseconds_until(*give_up_)
                        : stalls_ ? kStallMilliseconds
                                  : -1;
    // What has been told to stop is not asked again.
    pollfd waits[2] = {{fd_, POLLOUT, 0}, {give_up_ ? -1 : stop_fd_, POLLIN, 0}};
    const int ready = ::poll(waits, 2, timeout);
    if (ready < 0 && errno != EINTR) return WriteStatus::Failed;
    if (ready == 0 && (give_up_ || stalls_())) return WriteStatus::Stopped;
    if (ready > 0 && waits[0].revents) return WriteStatus::Ok;  // an error: write() says which
    if (ready > 0) give_up_ = Clock::now() + kPatience;
  }
}

WriteStatus Writer::write(std::string_view& bytes) {
  if (is_for_messages_) give_up_ = Clock::now() + kPatience;
  while (!bytes.empty()) {
    size_t size = bytes.size();
    if (may_stall_) {
      if (const WriteStatus status = wait_writable(); status != WriteStatus::Ok) return status;
      size = piece_size(bytes);
    }
    const ssize_t written = ::write(fd_, bytes.data(), size);
    if (written >= 0) {
      bytes.remove_prefix(static_cast<size_t>(written));
    } else if (errno == EPIPE) {
      return WriteStatus::Closed;
    } else if (errno != EINTR && errno != EAGAIN) {
      error_ = fmt::format("cannot write the output: {}", std::strerror(errno));
      return WriteStatus::Failed;
    }
  }
  return WriteStatus::Ok;
}

}  // namespace dbtrace::output
