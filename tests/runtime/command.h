// Any program run to its end, with what it printed: for dbtrace inside other
// programs (unshare, setpriv).
#pragma once

#include <string>
#include <vector>

#include "tests/runtime/dbtrace_process.h"

namespace dbtrace::testing {

// Throws std::runtime_error when it takes longer than a minute.
[[nodiscard]] inline DbtraceResult run_command(const std::vector<std::string>& arguments) {
  TemporaryFolder folder;
  ChildProcess process({.arguments = arguments,
                        .output = folder.path() / "stdout",
                        .errors = folder.path() / "stderr"});
  const auto code = process.wait(std::chrono::minutes(1));
  if (!code) throw std::runtime_error(arguments.front() + " does not end");
  return {*code, read_file(folder.path() / "stdout"), read_file(folder.path() / "stderr")};
}

}  // namespace dbtrace::testing
