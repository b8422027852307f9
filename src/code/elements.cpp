#include "src/code/elements.h"

#include "src/code/disassembler.h"

namespace dbtrace::code {
namespace {

constexpr int kMostInstructions = 24;

uint64_t behind(const cs_insn& instruction) { return instruction.address + instruction.size; }

bool is_register(const cs_x86_op& operand, x86_reg reg) {
  return operand.type == X86_OP_REG && operand.reg == reg;
}

// A variable's address, of an operand that is relative to the instruction pointer.
std::optional<uint64_t> variable(const cs_insn& instruction, const cs_x86_op& operand) {
  if (operand.type != X86_OP_MEM || operand.mem.base != X86_REG_RIP ||
      operand.mem.index != X86_REG_INVALID)
    return std::nullopt;
  return behind(instruction) + static_cast<uint64_t>(operand.mem.disp);
}

}  // namespace

std::optional<Element> returned_element(Arch arch, std::span<const uint8_t> code,
                                        uint64_t address) {
  if (arch != Arch::X86_64) return std::nullopt;
  Disassembler disassembler(arch);
  Element element;
  x86_reg index = X86_REG_INVALID, base = X86_REG_INVALID;
  bool loaded = false;
  uint64_t at = 0;
  for (int i = 0; i < kMostInstructions && at < code.size(); ++i) {
    const cs_insn* instruction = disassembler.decode(code.subspan(at), address + at);
    if (instruction == nullptr) return std::nullopt;
    const cs_x86& x86 = instruction->detail->x86;
    const cs_x86_op& to = x86.operands[0];
    const cs_x86_op& from = x86.operands[1];
    uint64_t next = behind(*instruction);
    switch (instruction->id) {
      case X86_INS_ENDBR64:
      case X86_INS_TEST:
      case X86_INS_JS:  // to where it gives up
        break;
      case X86_INS_JNS:
        next = static_cast<uint64_t>(to.imm);
        break;
      case X86_INS_MOVSXD:
        if (const auto place = variable(*instruction, from); place && element.index == 0) {
          element.index = *place;
          index = to.reg;
          break;
        }
        return std::nullopt;
      case X86_INS_IMUL:
        if (x86.op_count != 3 || !is_register(to, index) || !is_register(from, index) ||
            x86.operands[2].type != X86_OP_IMM || x86.operands[2].imm <= 0)
          return std::nullopt;
        element.size = static_cast<uint64_t>(x86.operands[2].imm);
        break;
      case X86_INS_LEA:
        if (const auto place = variable(*instruction, from)) {
          element.first = *place;
          base = to.reg;
          break;
        }
        return std::nullopt;
      case X86_INS_MOV: {
        const x86_op_mem& mem = from.mem;
        const bool adds = mem.scale == 1 && ((mem.base == base && mem.index == index) ||
                                             (mem.base == index && mem.index == base));
        if (loaded || !is_register(to, X86_REG_EAX) || from.type != X86_OP_MEM || !adds ||
            element.size == 0 || base == X86_REG_INVALID)
          return std::nullopt;
        element.first += static_cast<uint64_t>(mem.disp);
        loaded = true;
        break;
      }
      case X86_INS_RET:
        return loaded ? std::optional(element) : std::nullopt;
      default:
        return std::nullopt;
    }
    at = next - address;  // wraps for a jump before the function
  }
  return std::nullopt;
}

}  // namespace dbtrace::code
