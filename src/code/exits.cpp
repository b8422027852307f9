#include "src/code/exits.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "src/code/disassembler.h"
#include "src/code/kernel_rules.h"

namespace dbtrace::code {
namespace {

// No compiler makes larger functions; what claims to be one is no function.
constexpr size_t kMaxBytes = 16U << 20;

using Computation = Exit::Computation;

// What an instruction does to the flow of control.
struct Step {
  enum class Kind {
    Next,
    Call,
    Return,
    Jump,          // to `target`
    Branch,        // to `target` or on
    ComputedJump,  // as `to` says
    Leap,          // to a place outside that the code names in memory
    Switch,        // to one of the function's own places
    Trap,          // never goes on
    Unknown,       // leaves in a way that cannot be followed
  };
  Kind kind = Kind::Next;
  std::optional<uint64_t> target = {};
  std::optional<uint8_t> condition = {};  // of a Branch, if it can be told from the flags
  Computation to = {};
};

bool goes_on(Step::Kind kind) {
  // Behind a call that never returns there is nothing.
  return kind == Step::Kind::Next || kind == Step::Kind::Branch;
}

// ---- x86-64 ----

// The number of a 64-bit register in instructions.
std::optional<uint8_t> x86_number(unsigned reg) {
  constexpr std::array kNumbers = {X86_REG_RAX, X86_REG_RCX, X86_REG_RDX, X86_REG_RBX,
                                   X86_REG_RSP, X86_REG_RBP, X86_REG_RSI, X86_REG_RDI,
                                   X86_REG_R8,  X86_REG_R9,  X86_REG_R10, X86_REG_R11,
                                   X86_REG_R12, X86_REG_R13, X86_REG_R14, X86_REG_R15};
  for (uint8_t number = 0; number < kNumbers.size(); ++number)
    if (kNumbers[number] == reg) return number;
  return std::nullopt;
}

Step x86_jump_through(const x86_op_mem& memory) {
  // Thread-local pointers have a base that is no register.
  if (memory.segment == X86_REG_FS || memory.segment == X86_REG_GS) return {Step::Kind::Unknown};
  // What lies at a fixed place is one function's address: the global offset table.
  if (memory.base == X86_REG_RIP) return {Step::Kind::Leap};
  Step step{Step::Kind::ComputedJump};
  step.to.in_memory = true;
  step.to.scale = static_cast<uint8_t>(memory.scale);
  if (memory.disp < INT32_MIN || memory.disp > INT32_MAX) return {Step::Kind::Unknown};
  step.to.displacement = static_cast<int32_t>(memory.disp);
  if (memory.base != X86_REG_INVALID) {
    const auto base = x86_number(memory.base);
    if (!base) return {Step::Kind::Unknown};
    step.to.base = *base;
  }
  if (memory.index != X86_REG_INVALID && memory.index != X86_REG_RIZ) {
    const auto index = x86_number(memory.index);
    if (!index) return {Step::Kind::Unknown};
    step.to.index = *index;
  }
  return step;
}

Step x86_jump(const cs_insn& instruction) {
  const cs_x86_op& operand = instruction.detail->x86.operands[0];
  if (operand.type == X86_OP_IMM)
    return {Step::Kind::Jump, static_cast<uint64_t>(operand.imm), {}, {}};
  // `notrack` marks the jumps through a switch's table, which may go to places
  // without an endbr64.
  if (has_prefix(instruction, {X86_PREFIX_DS})) return {Step::Kind::Switch};
  if (operand.type == X86_OP_MEM) return x86_jump_through(operand.mem);
  const auto base = x86_number(operand.reg);
  if (!base) return {Step::Kind::Unknown};
  return {Step::Kind::ComputedJump, {}, {}, {.base = *base}};
}

// jcc: 7x, or 0f 8x.
std::optional<uint8_t> x86_condition(const cs_x86& x86) {
  const uint8_t opcode = x86.opcode[0] == 0x0f ? x86.opcode[1] : x86.opcode[0];
  const uint8_t expected = x86.opcode[0] == 0x0f ? 0x80 : 0x70;
  if ((opcode & 0xf0) != expected) return std::nullopt;
  return opcode & 0x0f;
}

Step x86_step(const cs_insn& instruction) {
  const cs_x86& x86 = instruction.detail->x86;
  const bool direct = x86.op_count == 1 && x86.operands[0].type == X86_OP_IMM;
  const auto target =
      direct ? std::optional(static_cast<uint64_t>(x86.operands[0].imm)) : std::nullopt;
  switch (instruction.id) {
    case X86_INS_RET:
      return {Step::Kind::Return};
    case X86_INS_JMP:
      return x86_jump(instruction);
    case X86_INS_CALL:
      return {Step::Kind::Call, target, {}, {}};
    case X86_INS_UD2:
#if CS_API_MAJOR < 5  // later it has another name
    case X86_INS_UD2B:
#endif
    case X86_INS_HLT:
    case X86_INS_INT3:
      return {Step::Kind::Trap};
    case X86_INS_RETF:
    case X86_INS_RETFQ:
    case X86_INS_LJMP:
    case X86_INS_LCALL:
    case X86_INS_IRET:
    case X86_INS_IRETD:
    case X86_INS_IRETQ:
    case X86_INS_SYSRET:
    case X86_INS_SYSEXIT:
      return {Step::Kind::Unknown};
    case X86_INS_XBEGIN:
    case X86_INS_LOOP:
    case X86_INS_LOOPE:
    case X86_INS_LOOPNE:
      return {Step::Kind::Branch, target, {}, {}};
    default:
      if (in_group(instruction, CS_GRP_RET) || in_group(instruction, CS_GRP_IRET))
        return {Step::Kind::Unknown};
      if (!in_group(instruction, CS_GRP_JUMP)) return {};
      return {Step::Kind::Branch, target, x86_condition(x86), {}};
  }
}

// ---- AArch64 ----

Step aarch64_step(const cs_insn& instruction) {
  const cs_arm64& arm = instruction.detail->arm64;
  const auto target = [&](int operand) {
    return std::optional(static_cast<uint64_t>(arm.operands[operand].imm));
  };
  switch (instruction.id) {
    case ARM64_INS_RET:
      return {Step::Kind::Return};
    case ARM64_INS_B: {
      const bool always = arm.cc == ARM64_CC_INVALID || arm.cc == ARM64_CC_AL;
      return {always ? Step::Kind::Jump : Step::Kind::Branch, target(0), {}, {}};
    }
    case ARM64_INS_CBZ:
    case ARM64_INS_CBNZ:
      return {Step::Kind::Branch, target(1), {}, {}};
    case ARM64_INS_TBZ:
    case ARM64_INS_TBNZ:
      return {Step::Kind::Branch, target(2), {}, {}};
    case ARM64_INS_BL:
      return {Step::Kind::Call, target(0), {}, {}};
    case ARM64_INS_BLR:
      return {Step::Kind::Call};
    case ARM64_INS_BR: {
      const unsigned reg = arm.operands[0].reg;
      if (reg < ARM64_REG_X0 || reg > ARM64_REG_X28) return {Step::Kind::Unknown};
      return {Step::Kind::ComputedJump, {}, {}, {.base = static_cast<uint8_t>(reg - ARM64_REG_X0)}};
    }
    case ARM64_INS_BRK:
    case ARM64_INS_HLT:
      return {Step::Kind::Trap};
    case ARM64_INS_ERET:
    case ARM64_INS_DRPS:
      return {Step::Kind::Unknown};
    default:
      return {};
  }
}

// retaa and retab, which Disassembler takes for a plain ret and
// arm_probe_decode_insn() refuses.
bool is_authenticated_return(std::span<const uint8_t> bytes) {
  return bytes.size() >= 4 && (bytes[0] == 0xff) && (bytes[1] == 0x0b || bytes[1] == 0x0f) &&
         bytes[2] == 0x5f && bytes[3] == 0xd6;
}

// ---- both ----

class Sweep {
 public:
  Sweep(Arch arch, std::span<const Part> parts, uint32_t entry)
      : arch_(arch), parts_(parts), entry_(entry), disassembler_(arch) {}

  Result<std::vector<Exit>> run() {
    for (const Part& part : parts_)
      if (auto swept = sweep(part); !swept) return tl::unexpected(swept.error());
    for (const Found& found : found_)
      if (auto judged = judge(found); !judged) return tl::unexpected(judged.error());
    if (exits_.empty()) return fail("it never returns");
    return std::move(exits_);
  }

 private:
  // An instruction that does not just go on.
  struct Found {
    uint64_t address;
    Step step;
    bool refused;  // by the kernel
  };

  Result<void> sweep(const Part& part) {
    if (part.bytes.empty()) return fail("its code is not in the file");
    if (part.bytes.size() > kMaxBytes) return fail("it is too large to be a function");
    begins_.emplace_back(part.bytes.size());
    bool runs_on = true;
    size_t at = 0;
    while (at < part.bytes.size()) {
      const auto rest = part.bytes.subspan(at);
      const cs_insn* instruction = disassembler_.decode(rest, part.address + at);
      if (instruction == nullptr)
        return fail(
            fmt::format("an instruction at {} cannot be decoded", place(part.address + at)));
      begins_.back()[at] = true;
      const Step step = arch_ == Arch::X86_64 ? x86_step(*instruction) : aarch64_step(*instruction);
      if (step.kind != Step::Kind::Next)
        found_.push_back({part.address + at, step, is_refused_exit(*instruction, rest)});
      // What merely fills up to the next function changes nothing.
      const bool filler = instruction->id ==
                          (arch_ == Arch::X86_64 ? unsigned{X86_INS_NOP} : unsigned{ARM64_INS_NOP});
      if (!filler) runs_on = goes_on(step.kind);
      at += instruction->size;
    }
    if (runs_on) return fail("it runs on beyond its end");
    return {};
  }

  bool is_refused_exit(const cs_insn& instruction, std::span<const uint8_t> bytes) const {
    return is_refused(arch_, instruction) ||
           (arch_ == Arch::AArch64 && is_authenticated_return(bytes));
  }

  Result<void> judge(const Found& found) {
    const Step& step = found.step;
    bool inside = false;
    if (step.target) {
      const auto target = look_up(*step.target);
      if (target == Target::WithinInstruction)
        return fail(fmt::format("{} goes to the middle of an instruction", place(found.address)));
      inside = target == Target::Inside;
      if (inside && step.kind != Step::Kind::Call &&
          *step.target - parts_.front().address <= entry_)
        return fail("it jumps back to its begin, where a round of that loop looks like a call");
    }
    switch (step.kind) {
      case Step::Kind::Next:
      case Step::Kind::Call:
      case Step::Kind::Switch:
      case Step::Kind::Trap:
        return {};
      case Step::Kind::Return:
        return add(found, {.address = found.address, .kind = Exit::Kind::Return});
      case Step::Kind::Leap:
        return add(found, {.address = found.address, .kind = Exit::Kind::Jump});
      case Step::Kind::Jump:
        if (inside) return {};
        return add(found, {.address = found.address, .kind = Exit::Kind::Jump});
      case Step::Kind::ComputedJump:
        return add(found,
                   {.address = found.address, .kind = Exit::Kind::ComputedJump, .to = step.to});
      case Step::Kind::Branch:
        if (inside) return {};
        if (!step.condition)
          return fail(fmt::format("the conditional branch at {} leaves it", place(found.address)));
        return add(
            found,
            {.address = found.address, .kind = Exit::Kind::Branch, .condition = *step.condition});
      case Step::Kind::Unknown:
        break;
    }
    return fail(fmt::format("it is left in an unusual way at {}", place(found.address)));
  }

  Result<void> add(const Found& found, const Exit& exit) {
    if (found.refused)
      return fail(fmt::format("the kernel takes no probe on its exit at {}", place(found.address)));
    exits_.push_back(exit);
    return {};
  }

  enum class Target { Inside, WithinInstruction, Outside };
  Target look_up(uint64_t target) const {
    for (size_t i = 0; i < parts_.size(); ++i) {
      const uint64_t offset = target - parts_[i].address;  // wraps before the part
      if (offset >= parts_[i].bytes.size()) continue;
      return begins_[i][offset] ? Target::Inside : Target::WithinInstruction;
    }
    return Target::Outside;
  }

  // "+0x12", from the begin of the part that the address lies in.
  std::string place(uint64_t address) const {
    for (size_t i = 0; i < parts_.size(); ++i) {
      const uint64_t offset = address - parts_[i].address;
      if (offset < parts_[i].bytes.size())
        return fmt::format("{}+{:#x}", i == 0 ? "" : ".cold", offset);
    }
    return fmt::format("{:#x}", address);
  }

  Arch arch_;
  std::span<const Part> parts_;
  uint32_t entry_;
  Disassembler disassembler_;
  std::vector<std::vector<bool>> begins_;  // by part and offset: an instruction begins here
  std::vector<Found> found_;
  std::vector<Exit> exits_;
};

}  // namespace

Result<std::vector<Exit>> find_exits(Arch arch, std::span<const Part> parts, uint32_t entry) {
  return Sweep(arch, parts, entry).run();
}

}  // namespace dbtrace::code
