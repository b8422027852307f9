// The stub servers of fixtures/servers: processes that dispatch known commands
// when they are told to.
#pragma once

#include <signal.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/runtime/child_process.h"
#include "tests/runtime/temporary_folder.h"

namespace dbtrace::testing {

// The program of a stub, e.g. "com_data/renamed-server".
[[nodiscard]] std::filesystem::path stub_program(const std::string& name);

class StubServer {
 public:
  // Starts it and waits until it listens. `program` may be an absolute path, as
  // seen in `root`. Throws std::runtime_error.
  explicit StubServer(const std::string& program, const std::filesystem::path& root = {},
                      const std::vector<std::string>& arguments = {});

  [[nodiscard]] pid_t pid() const { return process_.pid(); }
  [[nodiscard]] std::string pid_text() const { return std::to_string(pid()); }
  [[nodiscard]] ChildProcess& process() { return process_; }

  // Has it dispatch its few commands, and waits for the end.
  void run_script() { work(SIGUSR1); }
  // The same for its other commands (com_data: kLoad numbered queries;
  // suspending: too deeply nested ones).
  void run_load() { work(SIGUSR2); }
  // Does not wait.
  void start_load() { process_.signal(SIGUSR2); }
  // How often it has finished what it was told to do.
  [[nodiscard]] size_t finished() const;

  static constexpr size_t kLoad = 30'000;
  // What com_data's load is when it was started with the argument "steady":
  // 50,000 a second.
  static constexpr size_t kSteadyLoad = 200'000;

 private:
  void work(int signal);
  [[nodiscard]] size_t lines(const std::string& line) const;

  TemporaryFolder folder_;
  ChildProcess process_;
};

}  // namespace dbtrace::testing
