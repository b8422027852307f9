// Which servers a command works on: the options that say so, and the choice.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/target/server.h"
#include "symbols/result.h"

namespace CLI {
class App;
}

namespace dbtrace::commands {

struct TargetOptions {
  std::vector<uint32_t> pids;
  std::vector<std::string> executables;
  std::string name;  // without any of these: the running server whose file is called so; "": any
  bool several = false;  // then there may be more than one such server
};

void add_target_options(CLI::App& app, TargetOptions& options);

// The servers meant. Without options: the only one that runs. Errors: none
// runs, or several do (the message lists them).
[[nodiscard]] Result<std::vector<target::Server>> choose_servers(const TargetOptions& options);

// "MariaDB 10.11.19 (pid 123, /usr/sbin/mariadbd, --socket=/run/s)".
[[nodiscard]] std::string describe(const target::Server& server);

}  // namespace dbtrace::commands
