// When a pattern finds no function: what nearly does, and where it was looked for.
#pragma once

#include <string_view>

#include "symbols/finder.h"

namespace dbtrace::commands {

// `matches` is what the finder has for the pattern: no location. `where` says how
// to see the places where debug files were looked for.
[[nodiscard]] Error nothing_found(symbols::Finder& finder, const symbols::Pattern& pattern,
                                  const symbols::Matches& matches, std::string_view where);

}  // namespace dbtrace::commands
