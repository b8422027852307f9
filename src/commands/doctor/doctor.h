// `dbtrace doctor`: what this machine allows and what therefore works.
#pragma once

#include <string>

#include "src/client/client.h"
#include "src/commands/target_choice.h"
#include "src/commands/tracing/session.h"

namespace CLI {
class App;
}

namespace dbtrace::commands {

enum class DoctorFormat { Text, Json };

struct DoctorOptions {
  std::string target;      // a pid, a file, or a running server's name
  SessionOptions session;  // its `target` says the same in more words
  bool canary = false;
  client::Address address;  // where the canary connects to
  DoctorFormat format = DoctorFormat::Text;
};

CLI::App* add_doctor_command(CLI::App& app, DoctorOptions& options);

// Returns the exit code: 0 `queries` works, perhaps with less; 1 it does not, or the canary proved
// nothing; 2 wrong usage.
[[nodiscard]] int run_doctor(const DoctorOptions& options);

}  // namespace dbtrace::commands
