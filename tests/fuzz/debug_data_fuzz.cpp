// Arbitrary content of .gnu_debugdata, which is a compressed ELF file.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "symbols/finder.h"
#include "tests/fuzz/memory_file.h"
#include "tests/unit/symbols/small_elf.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace dbtrace::symbols;
  test::SmallElf elf;
  elf.code(".text", 0x1000, 0x100)
      .section(".gnu_debugdata", SHT_PROGBITS, 0, 0, {data, data + size});
  static dbtrace::test::MemoryFile memory;
  memory.write(elf.bytes());
  auto file = ElfFile::open(memory.path());
  if (!file) std::abort();
  FinderOptions options;
  options.debug_folders.clear();
  auto finder = Finder::open(std::move(*file), options);
  if (finder) (void)finder->functions("main");
  return 0;
}
