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

}  // namespace

Writer::Writer(UniqueFd owned, int fd, int stop_fd)
    : owned_(std::move(owned)), fd_(fd), stop_fd_(stop_fd), may_stall_(may_stall(fd)) {}

Writer Writer::standard_output(int stop_fd) { return {UniqueFd(), STDOUT_FILENO, stop_fd}; }

Result<Writer> Writer::file(const std::string& path, int stop_fd) {
  UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file) return fail(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  const int fd = file.get();
  return Writer(std::move(file), fd, stop_fd);
}

bool Writer::is_terminal() const { return ::isatty(fd_) == 1; }

size_t Writer::width() const {
  winsize size{};
  if (!is_terminal() || ::ioctl(fd_, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

WriteStatus Writer::wait_writable() {
  pollfd waits[2] = {{fd_, POLLOUT, 0}, {stop_fd_, POLLIN, 0}};
  while (::poll(waits, 2, -1) < 0)
    if (errno != EINTR) return WriteStatus::Failed;
  if (waits[0].revents & POLLOUT) return WriteStatus::Ok;
  if (waits[1].revents) return WriteStatus::Stopped;
  return WriteStatus::Ok;  // POLLERR and POLLHUP: write() says what it is
}

WriteStatus Writer::write(std::string_view bytes) {
  while (!bytes.empty()) {
    size_t size = bytes.size();
    if (may_stall_) {
      if (const WriteStatus status = wait_writable(); status != WriteStatus::Ok) return status;
      // A writable pipe takes this much without blocking.
      size = std::min<size_t>(size, PIPE_BUF);
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
