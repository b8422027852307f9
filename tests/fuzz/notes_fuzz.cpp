// Sections with arbitrary content: .gnu_debuglink, the build-id note, static probes.
// An input is split among them: each part is preceded by its length, a byte.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "symbols/elf_file.h"
#include "symbols/usdt_notes.h"
#include "tests/fuzz/memory_file.h"
#include "tests/unit/symbols/small_elf.h"

namespace {

std::vector<uint8_t> take_part(std::span<const uint8_t>& input) {
  if (input.empty()) return {};
  const size_t size = std::min<size_t>(input[0], input.size() - 1);
  const auto part = input.subspan(1, size);
  input = input.subspan(1 + size);
  return {part.begin(), part.end()};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace dbtrace::symbols;
  std::span<const uint8_t> input(data, size);
  test::SmallElf elf;
  elf.code(".text", 0x1000, 0x100)
      .section(".gnu_debuglink", SHT_PROGBITS, 0, 0, take_part(input))
      .section(".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, 0x2000, take_part(input))
      .section(".stapsdt.base", SHT_PROGBITS, SHF_ALLOC, 0x3000, {0})
      .section(".note.stapsdt", SHT_NOTE, 0, 0, {input.begin(), input.end()});
  static dbtrace::test::MemoryFile memory;
  memory.write(elf.bytes());
  const auto file = ElfFile::open(memory.path());
  if (!file) std::abort();  // it is well-formed but for those sections
  if (file->build_id().size() > 128) std::abort();
  (void)file->debug_link();
  (void)read_usdt_probes(*file);
  return 0;
}
