// What one file says about the frames of its functions: .eh_frame and .debug_frame.
// Layouts: Linux Standard Base, "DWARF Extensions"; DWARF 5, section 6.4.1.
//
// Not libdw's: that takes these tables for sound, and a few bytes of a crafted one cost
// gigabytes (a register's number) or the whole program (an assertion).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/stacks/frame_program.h"
#include "src/stacks/frame_rules.h"
#include "symbols/elf_file.h"

namespace dbtrace::stacks {

// One section.
class FrameSection {
 public:
  enum class Flavor : uint8_t { EhFrame, DebugFrame };

  // Finds the functions' entries; what makes no sense is left out. Costs about 50 ns a function.
  FrameSection(symbols::SectionContent content, Flavor flavor);

  // The rules at a link-time address; nullopt where there are none. The expressions in
  // them lie in this object. Costs about a microsecond.
  [[nodiscard]] std::optional<FrameRules> at(uint64_t address) const;

 private:
  // What a function's entry (FDE) has in common with others (CIE).
  struct Common {
    FrameProgram program;
    uint8_t return_register = 0;
    bool has_augmentation = false;
    bool is_signal_frame = false;
    size_t instructions = 0;
    size_t end = 0;
  };
  struct Function {
    uint64_t start = 0;
    uint32_t size = 0;
    uint32_t entry = 0;  // where in the section
  };
  // An entry of either kind.
  struct Entry {
    size_t body = 0;  // behind its length and `id`
    size_t end = 0;   // of the entry
    uint64_t id = 0;  // of a CIE, or where the CIE is
    bool is_common = false;
    bool is_wide = false;  // 64-bit DWARF
  };

  [[nodiscard]] std::optional<Entry> entry_at(size_t position) const;
  [[nodiscard]] std::optional<Common> common_at(size_t position) const;
  [[nodiscard]] bool read_augmentation(Cursor& cursor, std::string_view letters,
                                       Common& common) const;
  void add_function(size_t position, const Entry& entry, const Common& common);
  [[nodiscard]] Cursor part(size_t begin, size_t end) const;

  std::vector<uint8_t> bytes_;
  uint64_t address_;
  bool is_eh_;
  std::vector<Function> functions_;  // by ascending start
};

// Of a whole file: .eh_frame first.
class CallFrameInfo {
 public:
  explicit CallFrameInfo(const symbols::ElfFile& file);
  [[nodiscard]] std::optional<FrameRules> at(uint64_t address) const;

 private:
  std::vector<FrameSection> sections_;
};

}  // namespace dbtrace::stacks
