#include "src/code/kernel_rules.h"

#include <algorithm>

#include "src/code/disassembler.h"

namespace dbtrace::code {
namespace {

// ---- x86-64: arch/x86/kernel/uprobes.c ----

// branch_setup_xol_ops() and push_setup_xol_ops(): nop, short and near jumps,
// push of a register.
bool is_emulated_on_x86_64(const cs_insn& instruction) {
  const uint8_t* bytes = instruction.bytes;
  switch (instruction.size) {
    case 1:
      return bytes[0] == 0x90 || (bytes[0] >= 0x50 && bytes[0] <= 0x57);
    case 2:
      return (bytes[0] == 0x41 && bytes[1] >= 0x50 && bytes[1] <= 0x57) ||
             (bytes[0] >= 0x70 && bytes[0] <= 0x7f) || bytes[0] == 0xeb;
    case 5:
      return bytes[0] == 0xe9;
    case 6:
      return bytes[0] == 0x0f && bytes[1] >= 0x80 && bytes[1] <= 0x8f;
    default:
      return false;
  }
}

// The prefixes of is_prefix_bad(), a breakpoint that is there already, privileged
// instructions, and nops and branches with an operand size prefix.
bool is_refused_on_x86_64(const cs_insn& instruction) {
  if (has_prefix(instruction,
                 {X86_PREFIX_LOCK, X86_PREFIX_CS, X86_PREFIX_DS, X86_PREFIX_ES, X86_PREFIX_SS})) {
    return true;
  }
  if (in_group(instruction, CS_GRP_INT) || in_group(instruction, CS_GRP_PRIVILEGE) ||
      instruction.id == X86_INS_HLT) {
    return true;
  }
  const bool branch_or_nop = in_group(instruction, CS_GRP_JUMP) ||
                             in_group(instruction, CS_GRP_CALL) || instruction.id == X86_INS_NOP;
  return branch_or_nop && has_prefix(instruction, {X86_PREFIX_OPSIZE});
}

// ---- AArch64: arch/arm64/kernel/probes/decode-insn.c ----

// arm_probe_decode_insn() simulates what depends on the program counter and
// single-steps the rest, hints among them.
bool is_simulated_on_aarch64(const cs_insn& instruction) {
  switch (instruction.id) {
    case ARM64_INS_ADR:
    case ARM64_INS_ADRP:
    case ARM64_INS_B:
    case ARM64_INS_BL:
    case ARM64_INS_BLR:
    case ARM64_INS_BR:
    case ARM64_INS_RET:
    case ARM64_INS_CBZ:
    case ARM64_INS_CBNZ:
    case ARM64_INS_TBZ:
    case ARM64_INS_TBNZ:
      return true;
    case ARM64_INS_LDR:
    case ARM64_INS_LDRSW:
      return instruction.detail->arm64.operands[1].type == ARM64_OP_IMM;  // a literal
    default:
      return false;
  }
}

}  // namespace

bool has_prefix(const cs_insn& instruction, std::initializer_list<uint8_t> prefixes) {
  return std::ranges::any_of(instruction.detail->x86.prefix, [&](uint8_t prefix) {
    return std::ranges::find(prefixes, prefix) != prefixes.end();
  });
}

bool is_emulated(Arch arch, const cs_insn& instruction) {
  return arch == Arch::X86_64 ? is_emulated_on_x86_64(instruction)
                              : is_simulated_on_aarch64(instruction);
}

bool is_refused(Arch arch, const cs_insn& instruction) {
  return arch == Arch::X86_64 ? is_refused_on_x86_64(instruction) : instruction.id == ARM64_INS_BRK;
}

}  // namespace dbtrace::code
