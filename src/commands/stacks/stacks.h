// `dbtrace stacks`: what the server's code was doing while slow queries ran.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "src/commands/tracing/query_choice.h"
#include "src/commands/tracing/session.h"
#include "src/kinds/kinds.h"
#include "src/output/stacks/stack_sink.h"

namespace CLI {
class App;
}

namespace dbtrace::commands {

struct StacksOptions {
  SessionOptions session;
  QueryChoice choice;
  std::optional<kinds::KindOptions> by;  // one stack profile a kind; else one a query
  bool running = false;                  // of what runs at the end, and nothing else
  std::string begin_at;                  // of stacks, a function; empty: their thread's beginning
  bool lines = false;                    // inlined functions and source lines
  output::StackFormat format = output::StackFormat::Text;
  std::string output_file;  // empty: standard output
  std::optional<uint64_t> limit;
  std::string from;                     // the recording to read; empty: a server
  std::string_view shown_as = "shown";  // in the account
};

CLI::App* add_stacks_command(CLI::App& app, StacksOptions& options);
// Returns the exit status.
[[nodiscard]] int run_stacks(const StacksOptions& options);

}  // namespace dbtrace::commands
