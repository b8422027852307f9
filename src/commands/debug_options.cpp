#include "src/commands/debug_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "src/commands/visible_lines.h"

namespace dbtrace::commands {

void add_debug_options(CLI::App& command, DebugOptions& options) {
  constexpr const char* kGroup = "Debug symbols";
  command.add_option("--debug-file", options.file, "Use this debug file before any other")
      ->type_name("FILE")
      ->group(kGroup);
  command
      .add_option("--debug-dir", options.folders,
                  "Look for debug files below this folder, too, and first (repeatable)")
      ->type_name("DIR")
      ->allow_extra_args(false)  // what follows is another argument
      ->group(kGroup);
  command
      .add_flag("--debuginfod", options.debuginfod,
                "Ask the servers in DEBUGINFOD_URLS when no debug file is here; without this "
                "they are asked only when nothing matches")
      ->group(kGroup);
}

symbols::FinderOptions finder_options(const DebugOptions& options) {
  symbols::FinderOptions result;
  result.debug_file = options.file;
  result.user_debug_folders = options.folders;
  result.debuginfod =
      options.debuginfod ? symbols::Debuginfod::Always : symbols::Debuginfod::IfNothingMatches;
  return result;
}

void warn_of_debug_file(const symbols::Finder& finder, const DebugOptions& options) {
  if (options.file.empty()) return;
  for (const symbols::DebugFileAttempt& attempt : finder.debug_file_attempts()) {
    if (attempt.path == options.file && !attempt.used)
      fmt::print(stderr, "dbtrace: {} is not used: {}\n", visible_lines(attempt.path),
                 visible_lines(attempt.outcome));
  }
}

}  // namespace dbtrace::commands
