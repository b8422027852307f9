// A terminal with dbtrace in it, as a person has it: the test types, looks at
// the screen's bytes, changes the size, or looks away.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "symbols/unique.h"
#include "tests/runtime/child_process.h"

namespace dbtrace::testing {

class Terminal {
 public:
  // Starts `arguments` (the program first) on a terminal of this width, as its
  // controlling terminal. Throws std::runtime_error.
  Terminal(const std::vector<std::string>& arguments, unsigned short columns);

  // Waits until this text has been on the screen; false if it does not come.
  [[nodiscard]] bool wait_for(const std::string& text, std::chrono::seconds timeout);
  // Everything that was printed up to now, lines ended by "\n".
  [[nodiscard]] const std::string& screen();

  void type(const std::string& keys);
  void resize(unsigned short columns);

  [[nodiscard]] ChildProcess& process() { return *process_; }

 private:
  UniqueFd master_;
  std::unique_ptr<ChildProcess> process_;
  std::string screen_;
};

}  // namespace dbtrace::testing
