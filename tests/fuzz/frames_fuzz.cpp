// Arbitrary bytes in place of an .eh_frame and a .debug_frame, whose expressions are evaluated.
#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "src/stacks/call_frame_info.h"
#include "src/stacks/expression.h"
#include "tests/fuzz/memory_file.h"
#include "tests/unit/symbols/small_elf.h"

namespace {

using namespace dbtrace;

constexpr uint64_t kCode = 0x1000;
constexpr uint64_t kSize = 0x200;

void exercise(const stacks::FrameRules& rules, std::span<const uint8_t> stack_bytes) {
  stacks::Registers registers{};
  for (size_t i = 0; i < registers.size(); ++i) registers[i] = 0x7000 + i * 8;
  const stacks::StackCopy stack(0x7000, std::as_bytes(stack_bytes));
  (void)stacks::evaluate(rules.cfa.expression, {}, registers, stack);
  for (const stacks::Rule& rule : rules.registers) {
    if (rule.target >= stacks::kRegisters || rule.base >= stacks::kRegisters) std::abort();
    (void)stacks::evaluate(rule.expression, 0x7010, registers, stack);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static test::MemoryFile file;
  const std::vector<uint8_t> bytes(data, data + size);
  for (const char* section : {".eh_frame", ".debug_frame"}) {
    file.write(symbols::test::SmallElf()
                   .code(".text", kCode, kSize)
                   .section(section, SHT_PROGBITS, SHF_ALLOC, 0x4000, bytes)
                   .bytes());
    const auto elf = symbols::ElfFile::open(file.path());
    if (!elf) std::abort();
    const stacks::CallFrameInfo frames(*elf);
    for (uint64_t offset = 0; offset < kSize; offset += 16) {
      if (const auto rules = frames.at(kCode + offset)) exercise(*rules, bytes);
    }
  }
  return 0;
}
