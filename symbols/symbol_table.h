// One symbol table of an ELF file with its string table, read where it lies.
// For the files of this room only.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "symbols/elf_file.h"
#include "symbols/result.h"

namespace dbtrace::symbols {

enum class SymbolKind : uint8_t { Function, Resolver, Data, ThreadLocal, Untyped, Other };

struct Symbol {
  std::string_view name;     // without version; "" when the table's entry is broken or too long
  std::string_view version;  // as .symtab writes it behind the name: "@V" or "@@V"; "" without one
  uint64_t address = 0;      // of ThreadLocal: the place in the thread's block
  uint64_t size = 0;
  SymbolKind kind = SymbolKind::Other;
  bool is_defined = false;
  bool is_local = false;  // others of its name may exist: a `static` function
  bool is_weak = false;
};

// "$x", "$d.3", …: marks in ARM code ("ELF for the Arm 64-bit Architecture",
// mapping symbols), of which there are more than functions.
[[nodiscard]] inline bool is_mapping_symbol(const Symbol& symbol) {
  constexpr std::string_view kLetters = "xdta";
  return symbol.kind == SymbolKind::Untyped && symbol.name.size() >= 2 && symbol.name[0] == '$' &&
         kLetters.find(symbol.name[1]) != std::string_view::npos &&
         (symbol.name.size() == 2 || symbol.name[2] == '.');
}

// Whether it can name code, defined here or elsewhere.
[[nodiscard]] inline bool may_be_function(const Symbol& symbol) {
  const bool fits = symbol.kind == SymbolKind::Function || symbol.kind == SymbolKind::Resolver ||
                    symbol.kind == SymbolKind::Untyped;
  return fits && !symbol.name.empty() && !is_mapping_symbol(symbol);
}

// Valid as long as the ElfFile it was read from. Cheap to copy.
class SymbolTable {
 public:
  // `section_type` is SHT_DYNSYM or SHT_SYMTAB. The error's message is short
  // and fits behind a colon: "no .symtab".
  [[nodiscard]] static Result<SymbolTable> read(const ElfFile& file, uint32_t section_type);
  // A table that does not lie in a file that is open; `owner` keeps the bytes.
  [[nodiscard]] static SymbolTable of_bytes(std::span<const uint8_t> symbols,
                                            std::span<const uint8_t> strings,
                                            std::shared_ptr<const void> owner);
  // The same table, which from now on keeps `owner` alive as well.
  [[nodiscard]] SymbolTable kept_by(std::shared_ptr<const void> owner) const;

  [[nodiscard]] static std::string_view section_name(uint32_t section_type);

  [[nodiscard]] size_t size() const { return count_; }
  [[nodiscard]] Symbol at(size_t index) const;

  // The symbols whose name contains `text` (all, for ""), in table order.
  // Searches the string table as one text and never looks at the names that
  // do not match: under a millisecond for MySQL's 80,000 symbols.
  [[nodiscard]] std::vector<uint32_t> containing(std::string_view text) const;

  // The symbols whose value is one of `addresses` (sorted), in table order.
  [[nodiscard]] std::vector<uint32_t> at_addresses(std::span<const uint64_t> addresses) const;

 private:
  SymbolTable(std::span<const uint8_t> symbols, std::span<const uint8_t> strings);
  template <typename Accept>
  [[nodiscard]] std::vector<uint32_t> select(Accept accept) const;

  std::span<const uint8_t> symbols_;
  std::span<const uint8_t> strings_;
  size_t count_ = 0;
  std::shared_ptr<const void> owner_;  // of bytes that do not lie in the file itself
};

}  // namespace dbtrace::symbols
