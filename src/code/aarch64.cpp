// AArch64: the instructions that compilers build small functions of. Calling
// convention: Procedure Call Standard for the Arm 64-bit Architecture, 6.1.
#include <array>

#include "src/code/processor.h"

namespace dbtrace::code {
namespace {

constexpr int kStackPointer = 31;
constexpr std::array<int, 8> kArguments = {0, 1, 2, 3, 4, 5, 6, 7};
constexpr std::array<int, 20> kLostInCalls = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,
                                              10, 11, 12, 13, 14, 15, 16, 17, 18, 30};
constexpr Convention kConvention = {kArguments, kLostInCalls, 0, 1, kStackPointer};

// A register's name. `number` is -1 for what is neither a general register nor
// SP; the zero register has a width only.
struct Name {
  int number = -1;
  uint8_t width = 0;
};

Name name(unsigned reg) {
  if (reg >= ARM64_REG_X0 && reg <= ARM64_REG_X28) return {static_cast<int>(reg - ARM64_REG_X0), 8};
  if (reg >= ARM64_REG_W0 && reg <= ARM64_REG_W30) return {static_cast<int>(reg - ARM64_REG_W0), 4};
  if (reg >= ARM64_REG_B0 && reg <= ARM64_REG_B31) return {-1, 1};
  if (reg >= ARM64_REG_H0 && reg <= ARM64_REG_H31) return {-1, 2};
  if (reg >= ARM64_REG_S0 && reg <= ARM64_REG_S31) return {-1, 4};
  if (reg >= ARM64_REG_D0 && reg <= ARM64_REG_D31) return {-1, 8};
  switch (reg) {
    case ARM64_REG_X29:
      return {29, 8};
    case ARM64_REG_X30:
      return {30, 8};
    case ARM64_REG_SP:
      return {kStackPointer, 8};
    case ARM64_REG_WSP:
      return {kStackPointer, 4};
    case ARM64_REG_XZR:
      return {-1, 8};
    case ARM64_REG_WZR:
      return {-1, 4};
    default:
      return {-1, 16};  // the remaining ones that are stored whole are Q and V
  }
}

bool is_zero_register(unsigned reg) { return reg == ARM64_REG_XZR || reg == ARM64_REG_WZR; }

// One instruction at work on one machine.
class Execution {
 public:
  Execution(const cs_insn& instruction, const Disassembler& disassembler, Machine& machine)
      : instruction_(instruction),
        arm_(instruction.detail->arm64),
        disassembler_(disassembler),
        machine_(machine) {}

  Flow run() {
    switch (instruction_.id) {
      case ARM64_INS_HINT:  // bti, paciasp, autiasp and the like: values stay
      case ARM64_INS_NOP:
        return {};
      case ARM64_INS_MOV:
      case ARM64_INS_MOVZ:
      case ARM64_INS_ADR:
      case ARM64_INS_ADRP:
        write(operand(0).reg, read(operand(1)));
        return {};
      case ARM64_INS_MOVK:
        insert_bits();
        return {};
      case ARM64_INS_ADD:
        return add(1);
      case ARM64_INS_SUB:
        return add(-1);
      case ARM64_INS_LDR:
      case ARM64_INS_LDUR:
      case ARM64_INS_LDAR:
        return load(1, name(operand(0).reg).width);
      case ARM64_INS_LDRH:
      case ARM64_INS_LDURH:
        return load(1, 2);
      case ARM64_INS_LDRB:
      case ARM64_INS_LDURB:
        return load(1, 1);
      case ARM64_INS_LDP:
        return load(2, name(operand(0).reg).width);
      case ARM64_INS_STR:
      case ARM64_INS_STUR:
      case ARM64_INS_STLR:
        return store(1, name(operand(0).reg).width);
      case ARM64_INS_STRH:
      case ARM64_INS_STURH:
        return store(1, 2);
      case ARM64_INS_STRB:
      case ARM64_INS_STURB:
        return store(1, 1);
      case ARM64_INS_STP:
        return store(2, name(operand(0).reg).width);
      case ARM64_INS_CMP:
        compare();
        return {};
      case ARM64_INS_CMN:
      case ARM64_INS_CCMP:
      case ARM64_INS_CCMN:
      case ARM64_INS_TST:
      case ARM64_INS_FCMP:
        machine_.flags.reset();
        return {};
      case ARM64_INS_CBZ:
      case ARM64_INS_CBNZ:
        return compare_and_branch();
      case ARM64_INS_TBZ:
      case ARM64_INS_TBNZ:
        return {Flow::Kind::Branch, target(operand(2))};
      case ARM64_INS_B:
        return branch();
      case ARM64_INS_BL:
        machine_.call(target(operand(0)));
        return {};
      case ARM64_INS_BLR:
        machine_.call(0);
        return {};
      case ARM64_INS_BR:
        return {Flow::Kind::IndirectJump};
      case ARM64_INS_RET:
        return {Flow::Kind::Return};
      case ARM64_INS_BRK:
      case ARM64_INS_HLT:
      case ARM64_INS_SVC:
      case ARM64_INS_ERET:
        return {Flow::Kind::Stop};
      default:
        return unmodelled();
    }
  }

 private:
  const cs_arm64_op& operand(int i) const { return arm_.operands[i]; }
  static uint64_t target(const cs_arm64_op& operand) { return static_cast<uint64_t>(operand.imm); }

  Value read(unsigned reg) const {
    if (is_zero_register(reg)) return constant_value(0);
    const Name from = name(reg);
    return from.number < 0 ? Value{} : narrowed(machine_.registers[from.number], from.width);
  }

  // A register or a number; shifted and extended registers are not modelled.
  Value read(const cs_arm64_op& source) const {
    if (source.type == ARM64_OP_IMM) {
      const unsigned shift = source.shift.type == ARM64_SFT_LSL ? source.shift.value : 0;
      if (shift >= 64) return {};
      return constant_value(static_cast<int64_t>(static_cast<uint64_t>(source.imm) << shift));
    }
    if (source.type != ARM64_OP_REG || !is_plain(source)) return {};
    return read(source.reg);
  }

  static bool is_plain(const cs_arm64_op& source) {
    return source.shift.type == ARM64_SFT_INVALID && source.ext == ARM64_EXT_INVALID;
  }

  void write(unsigned reg, const Value& value) {
    const Name to = name(reg);
    if (to.number >= 0) machine_.registers[to.number] = narrowed(value, to.width);
  }

  // movk: 16 bits of a constant in the making.
  void insert_bits() {
    const Value old = read(operand(0).reg);
    const unsigned shift = operand(1).shift.value;
    Value result;
    if (is_number(old) && shift < 64) {
      const uint64_t mask = uint64_t{0xffff} << shift;
      const uint64_t bits = static_cast<uint64_t>(operand(1).imm) << shift;
      const uint64_t kept = static_cast<uint64_t>(old.addend) & ~mask;
      result = constant_value(static_cast<int64_t>(kept | bits));
    }
    write(operand(0).reg, result);
  }

  // add and sub; adds and subs have the same number in Capstone and set flags.
  Flow add(int sign) {
    const Value by = read(operand(2));
    Value result;
    if (is_number(by)) {
      const uint64_t magnitude = static_cast<uint64_t>(by.addend);
      result = plus(read(operand(1)), static_cast<int64_t>(sign > 0 ? magnitude : 0 - magnitude));
    } else if (sign > 0) {
      result = sum(read(operand(1)), by);
    }
    write(operand(0).reg, result);
    if (arm_.update_flags) machine_.flags.reset();
    return {};
  }

  const cs_arm64_op* memory_operand() const {
    for (int i = 0; i < arm_.op_count; ++i) {
      if (operand(i).type == ARM64_OP_MEM) return &operand(i);
    }
    return nullptr;
  }

  Value address(const cs_arm64_op& memory) const {
    const Value base = plus(read(memory.mem.base), memory.mem.disp);
    if (memory.mem.index == ARM64_REG_INVALID) return base;
    return is_plain(memory) ? sum(base, read(memory.mem.index)) : Value{};
  }

  // [x0, #8]! and [x0], #8 move x0. In the latter the step is an operand of
  // its own, behind the memory operand.
  void write_back() {
    const cs_arm64_op* memory = memory_operand();
    if (!arm_.writeback || memory == nullptr) return;
    const cs_arm64_op& last = operand(arm_.op_count - 1);
    const Value step = &last == memory ? constant_value(memory->mem.disp) : read(last);
    write(memory->mem.base, sum(read(memory->mem.base), step));
  }

  Flow load(int count, uint8_t width) {
    const cs_arm64_op* memory = memory_operand();
    Value from;
    if (memory != nullptr) {
      from = address(*memory);
    } else if (operand(count).type == ARM64_OP_IMM) {
      from = constant_value(operand(count).imm);  // a literal beside the code
    }
    std::array<Value, 2> values;
    for (int i = 0; i < count; ++i) values[i] = machine_.load(plus(from, i * width), width);
    write_back();
    for (int i = 0; i < count; ++i) write(operand(i).reg, values[i]);
    return {};
  }

  Flow store(int count, uint8_t width) {
    const cs_arm64_op* memory = memory_operand();
    if (memory == nullptr) return unmodelled();
    const Value to = address(*memory);
    for (int i = 0; i < count; ++i) {
      machine_.store(plus(to, i * width), read(operand(i)), width);
    }
    write_back();
    return {};
  }

  void compare() {
    machine_.flags.reset();
    const Value with = read(operand(1));
    if (is_number(with)) machine_.compare(read(operand(0).reg), with.addend);
  }

  Flow compare_and_branch() {
    const Value value = read(operand(0).reg);
    const auto flags = machine_.flags;
    machine_.compare(value, 0);
    machine_.flags = flags;  // cbz leaves them alone
    Flow flow{Flow::Kind::Branch, target(operand(1))};
    (instruction_.id == ARM64_INS_CBZ ? flow.zero_if_taken : flow.zero_if_not_taken) = value;
    return flow;
  }

  Flow branch() const {
    const uint64_t to = target(operand(0));
    if (arm_.cc == ARM64_CC_INVALID || arm_.cc == ARM64_CC_AL || arm_.cc == ARM64_CC_NV) {
      return {Flow::Kind::Jump, to};
    }
    Flow flow{Flow::Kind::Branch, to};
    if (machine_.flags && machine_.flags->constant == 0) {
      if (arm_.cc == ARM64_CC_EQ) flow.zero_if_taken = machine_.flags->member;
      if (arm_.cc == ARM64_CC_NE) flow.zero_if_not_taken = machine_.flags->member;
    }
    return flow;
  }

  // What is written becomes Unknown; a store is recorded all the same.
  Flow unmodelled() {
    machine_.flags.reset();
    const cs_arm64_op* memory = memory_operand();
    if (memory != nullptr && (memory->access & CS_AC_WRITE) != 0) {
      machine_.store(address(*memory), {}, 8);
    }
    for (const unsigned reg : disassembler_.registers_written(instruction_)) {
      const Name written = name(reg);
      if (written.number >= 0) machine_.registers[written.number] = {};
    }
    return {};
  }

  const cs_insn& instruction_;
  const cs_arm64& arm_;
  const Disassembler& disassembler_;
  Machine& machine_;
};

class AArch64 final : public Processor {
 public:
  const Convention& convention() const override { return kConvention; }
  Flow execute(const cs_insn& instruction, const Disassembler& disassembler,
               Machine& machine) const override {
    return Execution(instruction, disassembler, machine).run();
  }
};

}  // namespace

const Processor& aarch64_processor() {
  static const AArch64 processor;
  return processor;
}

}  // namespace dbtrace::code
