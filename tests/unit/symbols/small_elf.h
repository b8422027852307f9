// ELF files made by hand, whose every byte a test or a fuzzer decides.
#pragma once

#include <elf.h>

#include <cstdint>
#include <string>
#include <vector>

namespace dbtrace::symbols::test {

// A 64-bit file with the sections given, in order, and one executable segment
// around each section that is executable. File offsets differ from addresses.
class SmallElf {
 public:
  struct Symbol {
    std::string name;
    uint64_t address = 0;
    uint64_t size = 0;
    unsigned char type = STT_FUNC;
    uint16_t section = 1;  // 0: undefined; else any, as nobody compares it
  };

  SmallElf& section(std::string name, uint32_t type, uint64_t flags, uint64_t address,
                    std::vector<uint8_t> content);
  // Code of `size` bytes at `address`.
  SmallElf& code(std::string name, uint64_t address, uint64_t size);
  // A table with its strings: `type` is SHT_SYMTAB or SHT_DYNSYM.
  SmallElf& symbols(uint32_t type, const std::vector<Symbol>& symbols);

  [[nodiscard]] std::vector<uint8_t> bytes() const;

 private:
  struct Section {
    std::string name;
    Elf64_Shdr header{};
    std::vector<uint8_t> content;
  };
  std::vector<Section> sections_;
};

}  // namespace dbtrace::symbols::test
