// .gnu_debugdata: a small ELF file, compressed with xz, that a stripped binary
// carries itself. It holds the functions that .dynsym lacks (Fedora and RHEL
// make it so). For the files of this room only.
#pragma once

#include "symbols/elf_file.h"
#include "symbols/result.h"

namespace dbtrace::symbols {

[[nodiscard]] bool has_debug_data(const ElfFile& binary);

// The file inside. The error's message fits behind a colon: "is damaged".
[[nodiscard]] Result<ElfFile> open_debug_data(const ElfFile& binary);

}  // namespace dbtrace::symbols
