// Where code lies, by sections: an executable segment may hold data, too.
// For the files of this room only.
#pragma once

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <span>

#include "symbols/elf_image.h"

namespace dbtrace::symbols {

// The executable section that holds the address; nullptr without one.
[[nodiscard]] inline const Section* code_section(const ElfFile& binary, uint64_t address) {
  // Linkers make some thirty; a crafted file's thousands shall not cost hours.
  constexpr size_t kMost = 1024;
  const auto& all = image_of(binary).sections;
  const std::span sections = std::span(all).first(std::min(kMost, all.size()));
  const auto found = std::ranges::find_if(sections, [address](const Section& section) {
    return (section.flags & SHF_EXECINSTR) != 0 && address >= section.address &&
           address - section.address < section.size;
  });
  return found == sections.end() ? nullptr : &*found;
}

// Whether the address is one of code; a file without sections tells no more
// than its segments do.
[[nodiscard]] inline bool is_code(const ElfFile& binary, uint64_t address) {
  if (!binary.file_offset(address)) return false;
  return image_of(binary).sections.empty() || code_section(binary, address) != nullptr;
}

[[nodiscard]] inline bool in_one_section(const ElfFile& binary, uint64_t a, uint64_t b) {
  return is_code(binary, a) && is_code(binary, b) &&
         code_section(binary, a) == code_section(binary, b);
}

}  // namespace dbtrace::symbols
