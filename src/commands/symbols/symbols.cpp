#include "src/commands/symbols/symbols.h"

#include <fmt/format.h>

#include <cstdio>

#include "src/commands/messages.h"
#include "src/commands/no_match.h"
#include "src/commands/program_choice.h"
#include "src/commands/symbols/print.h"
#include "src/commands/visible_lines.h"

namespace dbtrace::commands {
namespace {

bool print(const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
         std::fflush(stdout) == 0;
}

}  // namespace

int run_symbols(const SymbolsOptions& options) {
  const auto pattern = symbols::Pattern::parse(options.pattern);
  if (!pattern) return complain(pattern.error(), kUsage);
  const auto program = choose_program(options.target);
  if (!program) return complain(program.error(), kFailed);
  auto finder = open_symbols(*program, finder_options(options.debug));
  if (!finder) return complain(finder.error(), kFailed);

  const symbols::Matches matches = finder->match(*pattern);
  warn_of_debug_file(*finder, options.debug);
  const bool json = options.format == SymbolsFormat::Json;
  if (options.where) fmt::print(json ? stderr : stdout, "{}", places_text(*finder));
  if (matches.locations.empty()) {
    std::fflush(stdout);
    return complain(nothing_found(*finder, *pattern, matches, "--where shows where else"), kFailed);
  }
  if (options.where && !json) fmt::print("\n");
  if (!print(json ? symbols_json(*finder, matches) : symbols_text(*finder, matches)))
    return complain({"cannot write the answer to standard output", {}}, kFailed);
  if (matches.truncated)
    fmt::print(stderr, "dbtrace: there is more: the file has too many or too long names\n");
  return kDone;
}

}  // namespace dbtrace::commands
