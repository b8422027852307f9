// Versions of dynamic symbols: f@GLIBC_2.2.5, and which library has it (layout:
// "Symbol Versioning" in the Linux Standard Base). For the files of this room only.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/elf_file.h"

namespace dbtrace::symbols {

struct SymbolVersion {
  std::string_view name;     // "GLIBC_2.34"
  std::string_view library;  // of an undefined symbol: "libc.so.6"; "" when not said
  bool is_default = true;    // f@@V, or a symbol without version
};

// Points into the ElfFile.
class SymbolVersions {
 public:
  // A file without (sound) version sections has no versions.
  explicit SymbolVersions(const ElfFile& file);

  // Of the symbol with this index in .dynsym.
  [[nodiscard]] SymbolVersion of(size_t index) const;

  // DT_NEEDED: the libraries that the file asks the loader for.
  [[nodiscard]] const std::vector<std::string_view>& needed() const { return needed_; }

 private:
  struct Version {
    std::string_view name;
    std::string_view library;
  };

  void read_definitions(std::span<const uint8_t> bytes, std::span<const uint8_t> strings);
  void read_needs(std::span<const uint8_t> bytes, std::span<const uint8_t> strings);

  std::span<const uint8_t> indices_;  // .gnu.version: 16 bits a symbol
  std::map<uint16_t, Version> versions_;
  std::vector<std::string_view> needed_;
};

}  // namespace dbtrace::symbols
