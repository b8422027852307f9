// Where debug files are looked for: the options of every command that takes names
// of functions.
#pragma once

#include <string>
#include <vector>

#include "symbols/finder.h"

namespace CLI {
class App;
}

namespace dbtrace::commands {

struct DebugOptions {
  std::string file;
  std::vector<std::string> folders;
  bool debuginfod = false;
};

void add_debug_options(CLI::App& command, DebugOptions& options);

[[nodiscard]] symbols::FinderOptions finder_options(const DebugOptions& options);

// The user's own debug file is never passed over in silence.
void warn_of_debug_file(const symbols::Finder& finder, const DebugOptions& options);

}  // namespace dbtrace::commands
