// x86-64: the instructions that compilers build small functions of. Calling
// convention: System V ABI, AMD64 supplement, 3.2 "Function Calling Sequence".
#include <array>

#include "src/code/processor.h"

namespace dbtrace::code {
namespace {

enum Register { Rax, Rcx, Rdx, Rbx, Rsp, Rbp, Rsi, Rdi, R8, R9, R10, R11, R12, R13, R14, R15 };

constexpr std::array<int, 6> kArguments = {Rdi, Rsi, Rdx, Rcx, R8, R9};
constexpr std::array<int, 9> kLostInCalls = {Rax, Rcx, Rdx, Rsi, Rdi, R8, R9, R10, R11};
constexpr Convention kConvention = {kArguments, kLostInCalls, Rax, Rdx, Rsp};

// A name of (a part of) a general register.
struct Part {
  int number = -1;  // -1: not a general register
  uint8_t width = 0;
  bool low = true;  // false: bits 8 to 15
};

constexpr auto kParts = [] {
  constexpr x86_reg kNames[16][4] = {
      {X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL},
      {X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL},
      {X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL},
      {X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL},
      {X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL},
      {X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL},
      {X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL},
      {X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL},
      {X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B},
      {X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B},
      {X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B},
      {X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B},
      {X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B},
      {X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B},
      {X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B},
      {X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B},
  };
  constexpr uint8_t kWidths[4] = {8, 4, 2, 1};
  std::array<Part, X86_REG_ENDING> parts{};
  for (int number = 0; number < 16; ++number) {
    for (int i = 0; i < 4; ++i) parts[kNames[number][i]] = {number, kWidths[i], true};
  }
  parts[X86_REG_AH] = {Rax, 1, false};
  parts[X86_REG_CH] = {Rcx, 1, false};
  parts[X86_REG_DH] = {Rdx, 1, false};
  parts[X86_REG_BH] = {Rbx, 1, false};
  return parts;
}();

Part part(unsigned reg) { return reg < kParts.size() ? kParts[reg] : Part{}; }

bool is_vector(const cs_x86_op& operand) {
  return operand.type == X86_OP_REG &&
         ((operand.reg >= X86_REG_XMM0 && operand.reg <= X86_REG_ZMM31) ||
          (operand.reg >= X86_REG_MM0 && operand.reg <= X86_REG_MM7));
}

bool same_register(const cs_x86& x86) {
  return x86.op_count == 2 && x86.operands[0].type == X86_OP_REG &&
         x86.operands[1].type == X86_OP_REG && x86.operands[0].reg == x86.operands[1].reg;
}

// One instruction at work on one machine.
class Execution {
 public:
  Execution(const cs_insn& instruction, const Disassembler& disassembler, Machine& machine)
      : instruction_(instruction),
        x86_(instruction.detail->x86),
        disassembler_(disassembler),
        machine_(machine) {}

  Flow run() {
    switch (instruction_.id) {
      case X86_INS_ENDBR64:
      case X86_INS_NOP:
        return {};
      case X86_INS_PUSH:
        if (x86_.operands[0].size != 8) return unmodelled();
        push(read(x86_.operands[0]));
        return {};
      case X86_INS_POP:
        if (x86_.operands[0].size != 8) return unmodelled();
        write(x86_.operands[0], pop());
        return {};
      case X86_INS_LEAVE:
        machine_.registers[Rsp] = machine_.registers[Rbp];
        machine_.registers[Rbp] = pop();
        return {};
      case X86_INS_MOV:
      case X86_INS_MOVABS:
      case X86_INS_MOVZX:
        write(x86_.operands[0], read(x86_.operands[1]));
        return {};
      case X86_INS_LEA:
        write(x86_.operands[0], address(x86_.operands[1].mem));
        return {};
      case X86_INS_ADD:
        add(1);
        return {};
      case X86_INS_SUB:
        if (same_register(x86_)) return set_zero();
        add(-1);
        return {};
      case X86_INS_INC:
        step(1);
        return {};
      case X86_INS_DEC:
        step(-1);
        return {};
      case X86_INS_XOR:
        return same_register(x86_) ? set_zero() : unmodelled();
      case X86_INS_CMP:
        compare();
        return {};
      case X86_INS_TEST:
        machine_.flags.reset();
        if (same_register(x86_)) machine_.compare(read(x86_.operands[0]), 0);
        return {};
      case X86_INS_CALL:
        machine_.call(direct_target().value_or(0));
        return {};
      case X86_INS_RET:
        return {Flow::Kind::Return};
      case X86_INS_JMP:
        if (const auto target = direct_target()) return {Flow::Kind::Jump, *target};
        return {Flow::Kind::IndirectJump};
      case X86_INS_UD2:
      case X86_INS_HLT:
      case X86_INS_SYSCALL:
      case X86_INS_LOOP:
      case X86_INS_LOOPE:
      case X86_INS_LOOPNE:
      case X86_INS_XBEGIN:
        return {Flow::Kind::Stop};
      default:
        if (in_group(CS_GRP_JUMP)) return branch();
        if (in_group(CS_GRP_CALL) || in_group(CS_GRP_RET) || in_group(CS_GRP_INT) ||
            in_group(CS_GRP_IRET)) {
          return {Flow::Kind::Stop};
        }
        return unmodelled();
    }
  }

 private:
  bool in_group(uint8_t group) const { return dbtrace::code::in_group(instruction_, group); }

  std::optional<uint64_t> direct_target() const {
    if (x86_.op_count != 1 || x86_.operands[0].type != X86_OP_IMM) return std::nullopt;
    return static_cast<uint64_t>(x86_.operands[0].imm);
  }

  Flow branch() const {
    const auto target = direct_target();
    if (!target) return {Flow::Kind::Stop};
    Flow flow{Flow::Kind::Branch, *target};
    if (machine_.flags && machine_.flags->constant == 0) {
      if (instruction_.id == X86_INS_JE) flow.zero_if_taken = machine_.flags->member;
      if (instruction_.id == X86_INS_JNE) flow.zero_if_not_taken = machine_.flags->member;
    }
    return flow;
  }

  Value read_register(unsigned reg) const {
    const Part from = part(reg);
    if (from.number < 0 || !from.low) return {};
    return narrowed(machine_.registers[from.number], from.width);
  }

  void write_register(unsigned reg, const Value& value) {
    const Part to = part(reg);
    if (to.number < 0) return;
    // Writing 32 bits clears the rest; writing fewer keeps it: a mixture.
    machine_.registers[to.number] = to.width >= 4 ? narrowed(value, to.width) : Value{};
  }

  Value address(const x86_op_mem& memory) const {
    if (memory.segment == X86_REG_GS) return {};
    Value result = constant_value(memory.disp);
    if (memory.segment == X86_REG_FS) {
      // The bases of fs and of thread-local variables are one; other registers
      // that have a part in the address are none of our business.
      if (memory.base != X86_REG_INVALID || memory.index != X86_REG_INVALID) return {};
      return {.base = Value::Base::ThreadPointer, .addend = memory.disp};
    }
    if (memory.base == X86_REG_RIP) {
      return plus(result, static_cast<int64_t>(instruction_.address + instruction_.size));
    }
    if (memory.base != X86_REG_INVALID) result = sum(read_register(memory.base), result);
    if (memory.index != X86_REG_INVALID && memory.index != X86_REG_RIZ) {
      const Value index = read_register(memory.index);
      if (memory.scale == 1) return sum(result, index);
      if (!is_number(index)) return {};
      const uint64_t scaled = static_cast<uint64_t>(index.addend) * memory.scale;
      result = plus(result, static_cast<int64_t>(scaled));
    }
    return result;
  }

  // At fs:0 lies the base of fs itself (System V ABI, "Thread-Local Storage").
  Value load(const Value& place, uint8_t width) const {
    if (place == Value{.base = Value::Base::ThreadPointer} && width == 8) return place;
    return machine_.load(place, width);
  }

  Value read(const cs_x86_op& operand) const {
    switch (operand.type) {
      case X86_OP_REG:
        return read_register(operand.reg);
      case X86_OP_IMM:
        return constant_value(operand.imm);
      case X86_OP_MEM:
        return load(address(operand.mem), operand.size);
      default:
        return {};
    }
  }

  void write(const cs_x86_op& operand, const Value& value) {
    if (operand.type == X86_OP_REG) write_register(operand.reg, value);
    if (operand.type == X86_OP_MEM) machine_.store(address(operand.mem), value, operand.size);
  }

  void push(const Value& value) {
    Value& rsp = machine_.registers[Rsp];
    rsp = plus(rsp, -8);
    if (is_known(rsp)) machine_.store(rsp, value, 8);
  }

  Value pop() {
    Value& rsp = machine_.registers[Rsp];
    const Value value = machine_.load(rsp, 8);
    rsp = plus(rsp, 8);
    return value;
  }

  void add(int sign) {
    const cs_x86_op& to = x86_.operands[0];
    const Value by = read(x86_.operands[1]);
    Value result;
    if (to.type == X86_OP_REG && is_number(by)) {
      const uint64_t magnitude = static_cast<uint64_t>(by.addend);
      result = plus(read(to), static_cast<int64_t>(sign > 0 ? magnitude : 0 - magnitude));
    } else if (to.type == X86_OP_REG && sign > 0) {
      result = sum(read(to), by);
    }
    write(to, result);
    machine_.flags.reset();
  }

  void step(int by) {
    const cs_x86_op& to = x86_.operands[0];
    write(to, to.type == X86_OP_REG ? plus(read(to), by) : Value{});
    machine_.flags.reset();
  }

  Flow set_zero() {
    write(x86_.operands[0], constant_value(0));
    machine_.flags.reset();
    return {};
  }

  void compare() {
    machine_.flags.reset();
    const Value with = read(x86_.operands[1]);
    if (is_number(with)) machine_.compare(read(x86_.operands[0]), with.addend);
  }

  // What is written becomes Unknown; a store is recorded all the same.
  Flow unmodelled() {
    machine_.flags.reset();
    // A repeated string instruction stores more than its operand says.
    const bool repeated = x86_.prefix[0] == X86_PREFIX_REP || x86_.prefix[0] == X86_PREFIX_REPNE;
    for (int i = 0; i < x86_.op_count; ++i) {
      const cs_x86_op& operand = x86_.operands[i];
      if (operand.type != X86_OP_MEM) continue;
      if (i > 0) load(address(operand.mem), operand.size);
      // Capstone 4 calls the memory operand of `movups %xmm0,(%rdi)` read.
      const bool vector_store = i == 0 && x86_.op_count > 1 && is_vector(x86_.operands[1]);
      if ((operand.access & CS_AC_WRITE) == 0 && !vector_store) continue;
      machine_.store(address(operand.mem), {}, operand.size);
      if (repeated) machine_.forget_slots();
    }
    for (const unsigned reg : disassembler_.registers_written(instruction_)) {
      if (part(reg).number >= 0) machine_.registers[part(reg).number] = {};
    }
    return {};
  }

  const cs_insn& instruction_;
  const cs_x86& x86_;
  const Disassembler& disassembler_;
  Machine& machine_;
};

class X86_64 final : public Processor {
 public:
  const Convention& convention() const override { return kConvention; }
  Flow execute(const cs_insn& instruction, const Disassembler& disassembler,
               Machine& machine) const override {
    return Execution(instruction, disassembler, machine).run();
  }
};

}  // namespace

const Processor& x86_64_processor() {
  static const X86_64 processor;
  return processor;
}

}  // namespace dbtrace::code
