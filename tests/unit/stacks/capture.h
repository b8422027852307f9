// What dbtrace's programs in the kernel copy of a thread, taken with ptrace(2).
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "src/stacks/unwinder.h"

namespace dbtrace::stacks::test {

// More than any stack here is deep.
inline constexpr size_t kMostBytes = 512U << 10;

struct Captured {
  std::array<uint64_t, 33> registers{};
  std::vector<std::byte> bytes;

  [[nodiscard]] UserStack stack() const {
    return {.registers = registers, .bytes = bytes, .pending_returns = {}};
  }
};

// Stops the thread for a moment. nullopt: it is not there, or may not be stopped.
[[nodiscard]] std::optional<Captured> capture(pid_t thread, size_t most = kMostBytes);

// Keeps a thread stopped until the end of this object.
class Stopped {
 public:
  explicit Stopped(pid_t thread);
  ~Stopped();
  Stopped(const Stopped&) = delete;
  Stopped& operator=(const Stopped&) = delete;

  [[nodiscard]] bool is_stopped() const { return is_stopped_; }
  // Lets it go on in that way (PTRACE_SINGLESTEP, PTRACE_SYSCALL) until it stops again.
  [[nodiscard]] bool go_on(int way);
  // The number of the system call that it stopped at the entry of; -1: at none.
  [[nodiscard]] long system_call() const;

 private:
  [[nodiscard]] bool is_waited_for() const;

  pid_t thread_;
  bool is_stopped_ = false;
};

// What a thread has that is stopped.
[[nodiscard]] std::optional<Captured> capture_stopped(pid_t thread, size_t most = kMostBytes);

// The threads of a process.
[[nodiscard]] std::vector<pid_t> threads_of(pid_t process);

}  // namespace dbtrace::stacks::test
