// The search for the separate file that holds a stripped binary's symbols.
// For the files of this room only.
#pragma once

#include <optional>
#include <vector>

#include "symbols/elf_file.h"
#include "symbols/finder.h"

namespace dbtrace::symbols {

// The first debug file that belongs to `binary` and has a symbol table, by
// build-id, then by .gnu_debuglink. Appends every place looked at to `attempts`.
[[nodiscard]] std::optional<ElfFile> find_debug_file(const ElfFile& binary,
                                                     const FinderOptions& options,
                                                     std::vector<DebugFileAttempt>& attempts);

}  // namespace dbtrace::symbols
