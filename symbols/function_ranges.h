// The functions of an ELF file by address. For the files of this room only.
#pragma once

#include "symbols/elf_file.h"
#include "symbols/finder.h"
#include "symbols/named_ranges.h"

namespace dbtrace::symbols {

// All functions of `binary` at their link-time addresses: from .dynsym and from
// the first that knows the others: .symtab, .gnu_debugdata, or the debug file,
// looked for as `debug_files` says (nullptr: neither of the last two). What none of them knows has
// no name: never that of the nearest symbol.
//
// A function without a size ends at the next symbol or at the end of its
// section, and counts only where no function with a size does; a label without
// a type counts only where no function does. Data and ARM's mapping symbols
// ($x, $d, $t) have no names here. Needs neither the file nor its mapping later.
[[nodiscard]] Result<NamedRanges> functions_by_address(ElfFile binary,
                                                       const FinderOptions* debug_files);

}  // namespace dbtrace::symbols
