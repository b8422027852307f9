#include "src/code/calls.h"

#include <optional>

#include "src/code/disassembler.h"

namespace dbtrace::code {
namespace {

// x86-64: a near call without prefixes, which branch_setup_xol_ops() of
// arch/x86/kernel/uprobes.c emulates.
constexpr size_t kCallSize = 5;

std::optional<uint64_t> called(Arch arch, const cs_insn& instruction) {
  if (arch == Arch::AArch64) {
    if (instruction.id != ARM64_INS_BL) return std::nullopt;
    return static_cast<uint64_t>(instruction.detail->arm64.operands[0].imm);
  }
  const cs_x86& x86 = instruction.detail->x86;
  if (instruction.id != X86_INS_CALL || instruction.size != kCallSize ||
      x86.operands[0].type != X86_OP_IMM) {
    return std::nullopt;
  }
  return static_cast<uint64_t>(x86.operands[0].imm);
}

}  // namespace

std::vector<Placement> find_calls(Arch arch, std::span<const uint8_t> code, uint64_t address,
                                  uint64_t target) {
  std::vector<Placement> calls;
  Disassembler disassembler(arch);
  size_t at = 0;
  while (at < code.size()) {
    const cs_insn* instruction = disassembler.decode(code.subspan(at), address + at);
    if (instruction == nullptr) break;
    if (called(arch, *instruction) == target) {
      calls.push_back({.delta = static_cast<uint32_t>(at),
                       .instruction = text_of(*instruction),
                       .emulated = true});
    }
    at += instruction->size;
  }
  return calls;
}

}  // namespace dbtrace::code
