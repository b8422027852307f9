// The life of a tracing command: wait for events, a signal, a deadline, or the
// servers' end.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "symbols/result.h"
#include "symbols/unique.h"

namespace dbtrace::commands {

// What ends a run from outside, as one descriptor that becomes readable: SIGINT,
// SIGTERM, SIGHUP, or a deadline. SIGWINCH becomes another; SIGPIPE
// and SIGXFSZ are ignored.
class Stop {
 public:
  // From here on the signals no longer end the process. Call it before any
  // thread starts and before attaching, so that no signal is missed.
  [[nodiscard]] static Result<Stop> catch_signals();
  // Once, counted from now.
  [[nodiscard]] Result<void> after(std::chrono::nanoseconds duration);
  [[nodiscard]] int fd() const { return any_.get(); }
  [[nodiscard]] int resize_fd() const { return resize_.get(); }

 private:
  [[nodiscard]] Result<void> watch(const UniqueFd& fd);

  UniqueFd signals_;
  UniqueFd deadline_;
  UniqueFd any_;  // an epoll of the two
  UniqueFd resize_;
};

// Why a run ended.
enum class Ending { Stopped, OutputClosed, ServersGone, Asked };

struct RunOptions {
  int stop_fd = -1;
  int resize_fd = -1;
  int ring_fd = -1;
  int output_fd = -1;  // watched for the reader's end
  int input_fd = -1;   // somebody types there
  int poll_milliseconds = 100;
  std::vector<uint32_t> pids;  // ends when all of them have ended; empty: never
};

// What a tick leaves: nothing to do, more to do at once, or the end.
enum class Tick { Idle, Busy, End };

struct RunHandlers {
  // Called at least every poll_milliseconds. Must not take long: signals wait.
  std::function<Tick()> tick;
  std::function<void()> resized;
  // There is something to read. False: there will be no more. A tick follows at once.
  std::function<bool()> input;
  std::function<void(uint32_t pid)> server_ended;
};

[[nodiscard]] Result<Ending> run(const RunOptions& options, const RunHandlers& handlers);

}  // namespace dbtrace::commands
