// The life of a tracing command: wait for events, a signal, a deadline, or the
// servers' end.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "symbols/result.h"
#include "symbols/unique.h"

namespace dbtrace::commands {

// SIGINT, SIGTERM and SIGHUP as a readable descriptor, SIGWINCH as another;
// SIGPIPE is ignored. Construct it before any thread and before attaching, so
// that no signal is missed.
class Signals {
 public:
  [[nodiscard]] static Result<Signals> catch_all();
  [[nodiscard]] int stop_fd() const { return stop_.get(); }
  [[nodiscard]] int resize_fd() const { return resize_.get(); }

 private:
  UniqueFd stop_;
  UniqueFd resize_;
};

// Why a run ended.
enum class Ending { Signal, Deadline, OutputClosed, ServersGone, Asked };

struct RunOptions {
  int stop_fd = -1;
  int resize_fd = -1;
  int ring_fd = -1;
  int output_fd = -1;  // watched for the reader's end
  int poll_milliseconds = 100;
  std::optional<std::chrono::nanoseconds> duration;
  std::vector<uint32_t> pids;  // ends when all of them have ended; empty: never
};

struct RunHandlers {
  // Called at least every poll_milliseconds. Returns false to end the run.
  std::function<bool()> tick;
  std::function<void()> resized;
  std::function<void(uint32_t pid)> server_ended;
};

[[nodiscard]] Result<Ending> run(const RunOptions& options, const RunHandlers& handlers);

}  // namespace dbtrace::commands
