#include "src/commands/symbols.h"

#include <fmt/format.h>

#include <cstdio>

#include "src/commands/program_choice.h"
#include "src/commands/symbols_print.h"
#include "src/commands/visible_lines.h"

namespace dbtrace::commands {
namespace {

constexpr int kFound = 0, kNothing = 1, kUsage = 2;
constexpr size_t kMaxSuggestions = 5;

int complain(const Error& error, int code) {
  fmt::print(stderr, "dbtrace: {}\n", visible_lines(error.message));
  if (!error.hint.empty()) fmt::print(stderr, "  {}\n", visible_lines(error.hint));
  return code;
}

symbols::FinderOptions finder_options(const SymbolsOptions& options) {
  symbols::FinderOptions result;
  result.debug_file = options.debug_file;
  result.user_debug_folders = options.debug_folders;
  result.debuginfod =
      options.debuginfod ? symbols::Debuginfod::Always : symbols::Debuginfod::IfNothingMatches;
  return result;
}

// The user's own debug file is never passed over in silence.
void warn_of_debug_file(const symbols::Finder& finder, const SymbolsOptions& options) {
  if (options.debug_file.empty()) return;
  for (const symbols::DebugFileAttempt& attempt : finder.debug_file_attempts()) {
    if (attempt.path == options.debug_file && !attempt.used)
      fmt::print(stderr, "dbtrace: {} is not used: {}\n", visible_lines(attempt.path),
                 visible_lines(attempt.outcome));
  }
}

std::string defined_elsewhere(const symbols::Undefined& symbol) {
  const std::string version =
      symbol.version.empty() ? "" : fmt::format(" as {}@{}", symbol.full, symbol.version);
  return fmt::format("{} is only used here; {} defines it{}", symbol.full,
                     symbol.library.empty() ? "some other library" : symbol.library, version);
}

std::string part_text(const symbols::Matches& matches) {
  std::string text = "not taken, as parts must be asked for by their names:";
  for (size_t i = 0; i < matches.left_out.size() && i < kMaxSuggestions; ++i)
    text += "\n    " + matches.left_out[i];
  return text;
}

std::string inlined_text(const symbols::Inlined& inlined) {
  if (inlined.sites == 0)
    return fmt::format("{} is known to the debug information, but no code is left of it",
                       inlined.name);
  return fmt::format("{} has no code of its own: it is inlined at {} sites", inlined.name,
                     inlined.sites);
}

Error nothing_found(symbols::Finder& finder, const symbols::Pattern& pattern,
                    const symbols::Matches& matches) {
  Error error{fmt::format("{} defines no function '{}'", finder.binary().name(), pattern.typed()),
              {}};
  const auto add = [&error](const std::string& line) {
    error.hint += (error.hint.empty() ? "" : "\n  ") + line;
  };
  for (const symbols::Undefined& symbol : matches.undefined) add(defined_elsewhere(symbol));
  if (!matches.left_out.empty()) add(part_text(matches));
  const auto inlined = finder.inlined(pattern);
  if (inlined) add(inlined_text(*inlined));
  if (matches.undefined.empty() && !inlined) {
    for (const std::string& name : finder.similar_names(pattern, kMaxSuggestions))
      add("did you mean " + name);
  }
  add(fmt::format("looked in {}{}", finder.tables_summary(),
                  finder.debug_file_attempts().empty() ? "" : "; --where shows where else"));
  return error;
}

bool print(const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
         std::fflush(stdout) == 0;
}

}  // namespace

int run_symbols(const SymbolsOptions& options) {
  const auto pattern = symbols::Pattern::parse(options.pattern);
  if (!pattern) return complain(pattern.error(), kUsage);
  const auto program = choose_program(options.target);
  if (!program) return complain(program.error(), kNothing);
  auto finder = open_symbols(*program, finder_options(options));
  if (!finder) return complain(finder.error(), kNothing);

  const symbols::Matches matches = finder->match(*pattern);
  warn_of_debug_file(*finder, options);
  const bool json = options.format == SymbolsFormat::Json;
  if (options.where) fmt::print(json ? stderr : stdout, "{}", places_text(*finder));
  if (matches.locations.empty()) {
    std::fflush(stdout);
    return complain(nothing_found(*finder, *pattern, matches), kNothing);
  }
  if (options.where && !json) fmt::print("\n");
  if (!print(json ? symbols_json(*finder, matches) : symbols_text(*finder, matches)))
    return complain({"cannot write the answer to standard output", {}}, kNothing);
  if (matches.truncated)
    fmt::print(stderr, "dbtrace: there is more: the file has too many or too long names\n");
  return kFound;
}

}  // namespace dbtrace::commands
