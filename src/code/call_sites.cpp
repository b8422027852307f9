#include "src/code/call_sites.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <set>

#include "src/code/disassembler.h"

namespace dbtrace::code {
namespace {

// x86-64: e8 and the distance from the call's end; mov edi, imm32: bf and the number.
constexpr uint8_t kCall = 0xe8;
constexpr size_t kCallSize = 5;
constexpr uint8_t kMoveToFirst = 0xbf;
constexpr size_t kMoveSize = 5;

uint32_t load32(std::span<const uint8_t> bytes) {
  uint32_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// AArch64: bl and the distance in instructions.
std::optional<uint64_t> target_of_bl(uint32_t word, uint64_t at) {
  if (word >> 26 != 0b100101) return std::nullopt;
  const auto distance = static_cast<int64_t>(static_cast<int32_t>(word << 6)) >> 6;
  return at + static_cast<uint64_t>(distance) * 4;
}

// What is known of argument 0 on a way through x86-64 code.
class FirstArgument {
 public:
  std::optional<uint64_t> value;

  void execute(const cs_insn& instruction, const Disassembler& disassembler) {
    const cs_x86& x86 = instruction.detail->x86;
    if (x86.op_count == 2 && is_first(x86.operands[0])) {
      value.reset();
      const cs_x86_op& source = x86.operands[1];
      if (instruction.id == X86_INS_MOV && source.type == X86_OP_IMM)
        value = static_cast<uint64_t>(source.imm);
      if (instruction.id == X86_INS_LEA && source.mem.base == X86_REG_RIP)
        value = instruction.address + instruction.size + static_cast<uint64_t>(source.mem.disp);
      return;
    }
    for (const unsigned written : disassembler.registers_written(instruction))
      if (is_first(written)) value.reset();
  }

 private:
  static bool is_first(unsigned reg) {
    return reg == X86_REG_RDI || reg == X86_REG_EDI || reg == X86_REG_DI || reg == X86_REG_DIL;
  }
  static bool is_first(const cs_x86_op& operand) {
    return operand.type == X86_OP_REG && is_first(static_cast<unsigned>(operand.reg));
  }
};

std::optional<uint64_t> direct_target(const cs_insn& instruction) {
  const cs_x86& x86 = instruction.detail->x86;
  if (x86.op_count != 1 || x86.operands[0].type != X86_OP_IMM) return std::nullopt;
  return static_cast<uint64_t>(x86.operands[0].imm);
}

struct Way {
  uint64_t at;
  FirstArgument first;
};

}  // namespace

std::vector<uint64_t> direct_calls(Arch arch, std::span<const uint8_t> code, uint64_t address,
                                   uint64_t target) {
  std::vector<uint64_t> calls;
  if (arch == Arch::AArch64) {
    for (size_t i = 0; i + 4 <= code.size(); i += 4)
      if (target_of_bl(load32(code.subspan(i)), address + i) == target)
        calls.push_back(address + i);
    return calls;
  }
  for (size_t i = 0; i + kCallSize <= code.size(); ++i) {
    if (code[i] != kCall) continue;
    const auto distance = static_cast<int64_t>(static_cast<int32_t>(load32(code.subspan(i + 1))));
    if (address + i + kCallSize + static_cast<uint64_t>(distance) == target)
      calls.push_back(address + i);
  }
  return calls;
}

bool meets(Arch arch, std::span<const uint8_t> code, uint64_t address, uint64_t from, uint64_t at) {
  Disassembler disassembler(arch);
  while (from < at) {
    const uint64_t offset = from - address;  // wraps for what lies before the code
    if (offset >= code.size()) return false;
    const cs_insn* instruction = disassembler.decode(code.subspan(offset), from);
    if (instruction == nullptr) return false;
    from += instruction->size;
  }
  return from == at;
}

std::vector<NextCall> next_calls(Arch arch, std::span<const uint8_t> code, uint64_t address,
                                 uint64_t from, std::span<const uint64_t> wanted, size_t most) {
  std::vector<NextCall> found;
  if (arch != Arch::X86_64) return found;
  Disassembler disassembler(arch);
  std::deque<Way> ways = {{from, {}}};
  std::set<uint64_t> seen;
  size_t instructions = 0;
  while (!ways.empty()) {
    Way way = std::move(ways.front());
    ways.pop_front();
    while (seen.insert(way.at).second && instructions++ < most) {
      const uint64_t offset = way.at - address;  // wraps for what lies before the code
      if (offset >= code.size()) break;
      const cs_insn* instruction = disassembler.decode(code.subspan(offset), way.at);
      if (instruction == nullptr) break;
      const uint64_t next = way.at + instruction->size;
      const auto target = direct_target(*instruction);
      if (in_group(*instruction, CS_GRP_RET)) break;
      if (in_group(*instruction, CS_GRP_CALL)) {
        if (target && std::ranges::find(wanted, *target) != wanted.end()) {
          found.push_back({way.at, *target, way.first.value});
          break;
        }
        way.first.value.reset();
      } else if (in_group(*instruction, CS_GRP_JUMP)) {
        if (!target) break;
        if (instruction->id == X86_INS_JMP) {
          way.at = *target;
          continue;
        }
        ways.push_back({*target, way.first});
      } else {
        way.first.execute(*instruction, disassembler);
      }
      way.at = next;
    }
  }
  return found;
}

std::optional<uint64_t> argument_just_before(Arch arch, std::span<const uint8_t> code,
                                             uint64_t address, uint64_t call) {
  const uint64_t offset = call - address;
  if (arch != Arch::X86_64 || offset < kMoveSize || offset > code.size()) return std::nullopt;
  const auto move = code.subspan(offset - kMoveSize, kMoveSize);
  if (move[0] != kMoveToFirst) return std::nullopt;
  return load32(move.subspan(1));
}

}  // namespace dbtrace::code
