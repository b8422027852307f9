#include "src/code/placement.h"

#include <algorithm>
#include <array>

#include "src/code/disassembler.h"
#include "src/code/kernel_rules.h"

namespace dbtrace::code {
namespace {

// A prologue is short; past this a cheaper place is not worth the risk.
constexpr size_t kMaxPrologue = 64;
// How far to look for jumps back into the prologue.
constexpr size_t kMaxBackwardJump = 256;

// ---- x86-64 ----

bool leaves_function_flow(const cs_insn& instruction) {
  for (const auto group : {CS_GRP_JUMP, CS_GRP_CALL, CS_GRP_RET, CS_GRP_INT, CS_GRP_IRET}) {
    if (in_group(instruction, static_cast<uint8_t>(group))) return true;
  }
  switch (instruction.id) {
    case X86_INS_LOOP:
    case X86_INS_LOOPE:
    case X86_INS_LOOPNE:
    case X86_INS_SYSCALL:
    case X86_INS_XBEGIN:
    case X86_INS_UD2:
    case X86_INS_HLT:
      return true;
    default:
      return false;
  }
}

bool is_argument_or_stack_register(unsigned reg) {
  static constexpr auto kRegisters = std::to_array<unsigned>(
      {X86_REG_RDI, X86_REG_EDI, X86_REG_DI,  X86_REG_DIL, X86_REG_RSI, X86_REG_ESI,
       X86_REG_SI,  X86_REG_SIL, X86_REG_RDX, X86_REG_EDX, X86_REG_DX,  X86_REG_DL,
       X86_REG_DH,  X86_REG_RCX, X86_REG_ECX, X86_REG_CX,  X86_REG_CL,  X86_REG_CH,
       X86_REG_R8,  X86_REG_R8D, X86_REG_R8W, X86_REG_R8B, X86_REG_R9,  X86_REG_R9D,
       X86_REG_R9W, X86_REG_R9B, X86_REG_RSP, X86_REG_ESP, X86_REG_SP,  X86_REG_SPL});
  return std::ranges::find(kRegisters, reg) != kRegisters.end();
}

// Whether the arguments and the stack are after this instruction as before it.
// One that writes memory might change what an argument points to: no.
bool preserves_entry_state(const cs_insn& instruction, const Disassembler& disassembler) {
  if (leaves_function_flow(instruction)) return false;
  const cs_x86& x86 = instruction.detail->x86;
  for (int i = 0; i < x86.op_count; ++i) {
    // Capstone 4 calls some written memory operands read: the first operand is
    // the destination.
    const bool destination = i == 0 || (x86.operands[i].access & CS_AC_WRITE) != 0;
    if (x86.operands[i].type == X86_OP_MEM && destination) return false;
  }
  return std::ranges::none_of(disassembler.registers_written(instruction),
                              is_argument_or_stack_register);
}

// Whether a jump among the function's first instructions goes to a place
// behind its start up to `delta`: then that place is not met once per call.
bool is_jumped_to(Disassembler& disassembler, std::span<const uint8_t> code, uint64_t delta) {
  size_t at = 0;
  while (at < std::min(code.size(), kMaxBackwardJump)) {
    const cs_insn* instruction = disassembler.decode(code.subspan(at), at);
    if (instruction == nullptr) return false;
    const cs_x86& x86 = instruction->detail->x86;
    if (leaves_function_flow(*instruction) && x86.op_count == 1 &&
        x86.operands[0].type == X86_OP_IMM) {
      const uint64_t target = static_cast<uint64_t>(x86.operands[0].imm);
      if (target > 0 && target <= delta) return true;
    }
    at += instruction->size;
  }
  return false;
}

std::optional<Placement> place_on_x86_64(std::span<const uint8_t> code) {
  Disassembler disassembler(Arch::X86_64);
  const auto usable = [&](const std::optional<Placement>& place) {
    return place && (place->delta == 0 || !is_jumped_to(disassembler, code, place->delta));
  };
  std::optional<Placement> first;     // the first that the kernel takes at all
  std::optional<Placement> emulated;  // the first that it emulates
  size_t at = 0;
  while (at < std::min(code.size(), kMaxPrologue)) {
    const cs_insn* instruction = disassembler.decode(code.subspan(at), at);
    if (instruction == nullptr) break;
    if (!is_refused(Arch::X86_64, *instruction)) {
      Placement here{static_cast<uint32_t>(at), text_of(*instruction), is_emulated(Arch::X86_64, *instruction)};
      if (!first) first = here;
      if (here.emulated) {
        emulated = here;
        break;
      }
    }
    if (!preserves_entry_state(*instruction, disassembler)) break;
    at += instruction->size;
  }
  if (usable(emulated)) return emulated;
  return usable(first) ? first : std::nullopt;
}

// ---- AArch64 ----

// Always the first instruction: a return probe replaces the link register,
// which must not be signed yet (paciasp), and nothing in a prologue is cheaper
// than anything else.
std::optional<Placement> place_on_aarch64(std::span<const uint8_t> code) {
  Disassembler disassembler(Arch::AArch64);
  const cs_insn* instruction = disassembler.decode(code, 0);
  if (instruction == nullptr || is_refused(Arch::AArch64, *instruction)) return std::nullopt;
  return Placement{0, text_of(*instruction), is_emulated(Arch::AArch64, *instruction)};
}

}  // namespace

std::optional<Placement> place_probe(Arch arch, std::span<const uint8_t> code) {
  return arch == Arch::X86_64 ? place_on_x86_64(code) : place_on_aarch64(code);
}

}  // namespace dbtrace::code
