// The search for the separate file that holds a stripped binary's symbols.
// For the files of this room only.
#pragma once

#include <optional>
#include <vector>

#include "symbols/elf_file.h"
#include "symbols/finder.h"
#include "symbols/symbol_table.h"

namespace dbtrace::symbols {

struct DebugFile {
  ElfFile file;
  SymbolTable symbols;  // its .symtab
};

// The first debug file that belongs to `binary` and has a symbol table: the
// user's own, by build-id, by .gnu_debuglink, by the binary's own path where it
// has no link. Appends every place looked at to `attempts`.
[[nodiscard]] std::optional<DebugFile> find_debug_file(const ElfFile& binary,
                                                       const FinderOptions& options,
                                                       std::vector<DebugFileAttempt>& attempts);

}  // namespace dbtrace::symbols
