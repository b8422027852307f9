// What was found, as text for a person or JSON for a program.
#pragma once

#include <string>

#include "symbols/finder.h"

namespace dbtrace::commands {

// A block of lines for each location, with an empty line between two.
[[nodiscard]] std::string symbols_text(const symbols::Finder& finder,
                                       const symbols::Matches& matches);

// One object a line for each name that matches: name, raw (with "@V" behind it when
// V is not the default version), kind, address, offset, size, table, file and probe:
// offset, instruction and emulated, or null and then `reason`.
[[nodiscard]] std::string symbols_json(const symbols::Finder& finder,
                                       const symbols::Matches& matches);

// The tables that were read and every place looked at for more, a line each.
[[nodiscard]] std::string places_text(const symbols::Finder& finder);

}  // namespace dbtrace::commands
