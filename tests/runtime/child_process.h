// A program that runs beside the test: started without a shell, waited for with
// a bound, ended with its owner, and by the kernel should the test program crash
// (or the thread end that started it: start long-lived ones from the main thread).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace dbtrace::testing {

struct ChildOptions {
  std::vector<std::string> arguments;  // the program's path first
  std::filesystem::path output = {};   // file for stdout; empty = /dev/null
  std::filesystem::path errors = {};   // file for stderr; empty = /dev/null
  std::filesystem::path root = {};     // chroot there first; empty = do not
  int output_fd = -1;                  // instead of `output`; stays the caller's
};

class ChildProcess {
 public:
  // Throws std::runtime_error if it cannot fork. A program that cannot be
  // executed exits with 127.
  explicit ChildProcess(const ChildOptions& options);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] bool running();
  // Does nothing once the process has been waited for.
  void signal(int number);
  // The exit code, or 128 + the signal that ended it; nothing if it still runs
  // when the time is up. May be called again after the end.
  std::optional<int> wait(std::chrono::milliseconds timeout);
  // That, and the last of what the program wrote into `log`; nothing while it runs.
  [[nodiscard]] std::optional<std::string> how_it_ended(const std::filesystem::path& log);

 private:
  pid_t pid_ = -1;
  std::optional<int> exit_code_;
};

// Whether this machine is one that tests/vm emulates: slow, and stopped by its host at any moment.
[[nodiscard]] bool is_emulated();

// Looks every few milliseconds until `condition` holds; false if it does not
// within the time, of which emulated machines (tests/vm) get more.
template <typename Condition>
bool wait_until(Condition condition, std::chrono::milliseconds timeout) {
  const auto end = std::chrono::steady_clock::now() + timeout * (is_emulated() ? 4 : 1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

// The whole file as text; empty if there is none.
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

// The end of a log, for a failure's message.
[[nodiscard]] std::string tail(const std::string& text);

}  // namespace dbtrace::testing
