// `dbtrace func`: calls of any function, counted, timed, or with their arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/attach/mechanism.h"
#include "src/commands/debug_options.h"

namespace CLI {
class App;
}

namespace dbtrace::commands {

enum class FuncFormat { Text, Json };

struct FuncOptions {
  std::vector<std::string> patterns;
  std::optional<uint32_t> pid;  // neither: the only server that runs here
  std::string executable;       // with a pid: a file that this process maps
  bool latency = false;
  bool by_thread = false;
  std::vector<std::string> arguments;  // "2:str"
  std::optional<uint64_t> interval_ns;
  std::optional<uint64_t> duration_ns;
  std::optional<double> max_overhead;  // Shedding's limit
  FuncFormat format = FuncFormat::Text;
  size_t most_functions = 10'000;
  bool trust_addresses = false;
  DebugOptions debug;
  attach::Mechanism mechanism = attach::Mechanism::Auto;
};

// Adds the subcommand's options; they are written to `options` when parsed.
CLI::App* add_func_command(CLI::App& app, FuncOptions& options);

// Runs it. Returns the exit code: 0 done, 1 failed or nothing matches, 2 wrong
// usage or no program to trace, 3 it cost more than max_overhead.
[[nodiscard]] int run_func(const FuncOptions& options);

}  // namespace dbtrace::commands
