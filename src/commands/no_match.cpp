#include "src/commands/no_match.h"

#include <fmt/format.h>

namespace dbtrace::commands {
namespace {

constexpr size_t kMaxSuggestions = 5;

std::string defined_elsewhere(const symbols::Undefined& symbol) {
  const std::string version =
      symbol.version.empty() ? "" : fmt::format(" (version {})", symbol.version);
  return fmt::format("{} is only used here; {}{} defines it", symbol.full,
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

}  // namespace

Error nothing_found(symbols::Finder& finder, const symbols::Pattern& pattern,
                    const symbols::Matches& matches, std::string_view where) {
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
  add(fmt::format("looked in {}{}{}", finder.tables_summary(),
                  finder.debug_file_attempts().empty() ? "" : "; ",
                  finder.debug_file_attempts().empty() ? "" : where));
  return error;
}

}  // namespace dbtrace::commands
