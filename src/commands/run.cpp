#include "src/commands/run.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>

namespace dbtrace::commands {
namespace {

Result<UniqueFd> signal_fd(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : signals) sigaddset(&set, number);
  if (::sigprocmask(SIG_BLOCK, &set, nullptr) != 0)
    return fail(fmt::format("cannot block signals: {}", std::strerror(errno)));
  UniqueFd fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd) return fail(fmt::format("cannot wait for signals: {}", std::strerror(errno)));
  return fd;
}

// A descriptor that becomes readable when the process ends (Linux 5.3; older C
// libraries have no wrapper).
UniqueFd pidfd(uint32_t pid) {
  return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

class Poller {
 public:
  Poller() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {}

  // Regular files cannot be watched and need not be: refusals are ignored.
  void watch(int fd, uint32_t events) {
    if (fd < 0) return;
    epoll_event event{};
    event.events = events;
    event.data.fd = fd;
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event);
  }
  void forget(int fd) { ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr); }

  // The descriptors that have something to say within the time.
  std::vector<int> wait(int milliseconds) {
    std::array<epoll_event, 16> events;
    const int count = ::epoll_wait(epoll_.get(), events.data(), events.size(), milliseconds);
    std::vector<int> ready;
    for (int i = 0; i < count; ++i) ready.push_back(events[static_cast<size_t>(i)].data.fd);
    return ready;
  }

 private:
  UniqueFd epoll_;
};

void swallow_signals(int fd) {
  signalfd_siginfo info;
  while (::read(fd, &info, sizeof(info)) > 0) {
  }
}

}  // namespace

Result<Stop> Stop::catch_signals() {
  // Then a write fails instead, and the end is an orderly one.
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
  Stop stop;
  auto signals = signal_fd({SIGINT, SIGTERM, SIGHUP});
  if (!signals) return tl::unexpected(signals.error());
  auto resize = signal_fd({SIGWINCH});
  if (!resize) return tl::unexpected(resize.error());
  stop.signals_ = std::move(*signals);
  stop.resize_ = std::move(*resize);
  stop.any_ = UniqueFd(::epoll_create1(EPOLL_CLOEXEC));
  if (!stop.any_) return fail(fmt::format("cannot wait for signals: {}", std::strerror(errno)));
  if (auto watched = stop.watch(stop.signals_); !watched) return tl::unexpected(watched.error());
  return stop;
}

Result<void> Stop::after(std::chrono::nanoseconds duration) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(duration);
  itimerspec timer{};
  timer.it_value.tv_sec = seconds.count();
  timer.it_value.tv_nsec = (duration - seconds).count();
  deadline_ = UniqueFd(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!deadline_ || ::timerfd_settime(deadline_.get(), 0, &timer, nullptr) != 0)
    return fail(fmt::format("cannot set a timer: {}", std::strerror(errno)));
  return watch(deadline_);
}

Result<void> Stop::watch(const UniqueFd& fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  if (::epoll_ctl(any_.get(), EPOLL_CTL_ADD, fd.get(), &event) != 0)
    return fail(fmt::format("cannot wait for signals: {}", std::strerror(errno)));
  return {};
}

Result<Ending> run(const RunOptions& options, const RunHandlers& handlers) {
  Poller poller;
  poller.watch(options.stop_fd, EPOLLIN);
  poller.watch(options.resize_fd, EPOLLIN);
  poller.watch(options.ring_fd, EPOLLIN);
  poller.watch(options.output_fd, 0);  // errors and hang-ups are always told
  poller.watch(options.input_fd, EPOLLIN);

  std::map<int, uint32_t> servers;
  std::vector<UniqueFd> pidfds;
  for (const uint32_t pid : options.pids) {
    UniqueFd fd = pidfd(pid);
    if (!fd) {
      if (errno != ESRCH)
        return fail(fmt::format("cannot watch process {}: {}", pid, std::strerror(errno)));
      handlers.server_ended(pid);
      continue;
    }
    poller.watch(fd.get(), EPOLLIN);
    servers[fd.get()] = pid;
    pidfds.push_back(std::move(fd));
  }

  Tick tick = Tick::Idle;
  while (true) {
    if (!options.pids.empty() && servers.empty()) return Ending::ServersGone;
    const std::vector<int> ready = poller.wait(tick == Tick::Busy ? 0 : options.poll_milliseconds);
    tick = handlers.tick();
    if (tick == Tick::End) return Ending::Asked;
    for (const int fd : ready) {
      if (fd == options.stop_fd) return Ending::Stopped;
      if (fd == options.output_fd) return Ending::OutputClosed;
      if (fd == options.resize_fd) {
        swallow_signals(fd);
        handlers.resized();
      }
      if (fd == options.input_fd) {
        if (!handlers.input()) poller.forget(fd);
        tick = Tick::Busy;
      }
      if (const auto server = servers.find(fd); server != servers.end()) {
        handlers.server_ended(server->second);
        poller.forget(fd);
        servers.erase(server);
      }
    }
  }
}

}  // namespace dbtrace::commands
