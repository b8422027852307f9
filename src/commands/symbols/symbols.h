// `dbtrace symbols TARGET PATTERN`: what a name means in a program.
#pragma once

#include <string>

#include "src/commands/debug_options.h"

namespace CLI {
class App;
}

namespace dbtrace::commands {

enum class SymbolsFormat { Text, Json };

struct SymbolsOptions {
  std::string target;
  std::string pattern;
  SymbolsFormat format = SymbolsFormat::Text;
  bool where = false;  // also print where debug files were looked for
  DebugOptions debug;
};

// Adds the subcommand's options; they are written to `options` when parsed.
CLI::App* add_symbols_command(CLI::App& app, SymbolsOptions& options);

// Runs it. Returns the exit code: 0 found, 1 failed or nothing found, 2 wrong usage.
[[nodiscard]] int run_symbols(const SymbolsOptions& options);

}  // namespace dbtrace::commands
