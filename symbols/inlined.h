// Functions that exist only inlined into others, known from DWARF. For the files
// of this room only.
#pragma once

#include <optional>

#include "symbols/elf_file.h"
#include "symbols/location.h"
#include "symbols/pattern.h"

namespace dbtrace::symbols {

// What the debug information in `file` says of functions that `pattern` (a name or
// raw name) means. nullopt: nothing, or there is no debug information. Reads all
// of it: seconds for a gigabyte.
[[nodiscard]] std::optional<Inlined> find_inlined(const ElfFile& file, const Pattern& pattern);

}  // namespace dbtrace::symbols
