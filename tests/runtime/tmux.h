// dbtrace on a terminal that understands what it is sent: tmux's. The test sees the screen as
// a person does, not the bytes.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/runtime/child_process.h"
#include "tests/runtime/temporary_folder.h"

namespace dbtrace::testing {

class Tmux {
 public:
  // Runs `arguments` (the program first) from a shell that goes on when it ends. Throws
  // std::runtime_error.
  Tmux(const std::vector<std::string>& arguments, int columns, int lines);
  ~Tmux();

  // What is on the screen: its lines, without spaces at their ends.
  [[nodiscard]] std::vector<std::string> screen() const;
  [[nodiscard]] std::string text() const;
  // Waits until this is on the screen; false if it does not come.
  [[nodiscard]] bool wait_for(std::string_view text,
                              std::chrono::seconds timeout = std::chrono::seconds(30)) const;
  [[nodiscard]] bool wait_until_gone(std::string_view text) const;

  // Keys by tmux's names ("Down", "F2", "C-z"), or characters.
  void press(const std::string& key) const;
  void resize(int columns, int lines) const;

  // The program's; it runs.
  [[nodiscard]] pid_t program() const;
  // Waits until the shell goes on; the program's exit code. Throws when it does not.
  int wait() const;
  // Whether the terminal is as it was before the program: the screen, the cursor, line
  // wrapping, and how keys are read. Says what is not.
  [[nodiscard]] std::string changes() const;
  // tmux's variables: "pane_title".
  [[nodiscard]] std::string variable(const std::string& name) const;

 private:
  [[nodiscard]] std::string tmux(std::vector<std::string> arguments) const;

  TemporaryFolder folder_;
  std::unique_ptr<ChildProcess> server_;
};

}  // namespace dbtrace::testing
