// A dbtrace that runs for as long as a soak does: its lines are read as they come, and its size
// is watched.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/runtime/child_process.h"
#include "tests/runtime/pipe.h"
#include "tests/runtime/temporary_folder.h"
#include "tests/soak/growth.h"

namespace dbtrace::testing {

class Tracer {
 public:
  // Starts DBTRACE_SOAK_PROGRAM (else the dbtrace of this build) and returns when it is attached.
  // `on_line` gets each line of its output, in a thread of its own. Throws std::runtime_error.
  Tracer(const std::vector<std::string>& arguments, std::function<void(std::string_view)> on_line);
  ~Tracer();

  // Ctrl-C; its exit code when all its lines were read.
  int stop();
  [[nodiscard]] bool running() { return process_.running(); }
  [[nodiscard]] pid_t pid() const { return process_.pid(); }
  [[nodiscard]] std::string errors() const { return read_file(folder_.path() / "errors"); }
  [[nodiscard]] Growth& growth() { return growth_; }

 private:
  void read_lines(const std::function<void(std::string_view)>& on_line) const;

  TemporaryFolder folder_;
  Pipe pipe_;
  ChildProcess process_;
  Growth growth_;
  std::thread reader_;
};

}  // namespace dbtrace::testing
