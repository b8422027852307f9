#include "src/stacks/frame_program.h"

#include <dwarf.h>

#include <vector>

namespace dbtrace::stacks {
namespace {

using Kind = Rule::Kind;

// Compilers nest two.
constexpr size_t kMaxRemembered = 32;

class Run {
 public:
  Run(const FrameProgram& program, Cursor instructions, uint64_t start, uint64_t address,
      const FrameState& initial, FrameState& state)
      : program_(program),
        cursor_(instructions),
        location_(start),
        address_(address),
        initial_(initial),
        state_(state) {}

  bool all() {
    while (!cursor_.at_end() && location_ <= address_) {
      if (!one() || cursor_.failed()) return false;
    }
    return true;
  }

 private:
  bool one() {
    const auto instruction = cursor_.take<uint8_t>();
    const uint8_t low = instruction & 0x3f;
    // Three have an operand in their own byte.
    switch (instruction & 0xc0) {
      case DW_CFA_advance_loc:
        return advance(low);
      case DW_CFA_offset:
        return set(low, Kind::InMemory, factored(cursor_.take_uleb()));
      case DW_CFA_restore:
        return restore(low);
      default:
        return other(instruction);
    }
  }

  bool other(uint8_t instruction) {
    switch (instruction) {
      case DW_CFA_nop:
        return true;
      case DW_CFA_GNU_args_size:
        cursor_.take_uleb();
        return true;
      // On AArch64 it says that the return address is signed, which its value tells.
      case DW_CFA_AARCH64_negate_ra_state:
        return true;
      case DW_CFA_remember_state:
        if (remembered_.size() == kMaxRemembered) return false;
        remembered_.push_back(state_);
        return true;
      case DW_CFA_restore_state:
        if (remembered_.empty()) return false;
        state_ = remembered_.back();
        remembered_.pop_back();
        return true;
      default:
        return move(instruction) || define_cfa(instruction) || define_register(instruction);
    }
  }

  bool move(uint8_t instruction) {
    switch (instruction) {
      case DW_CFA_set_loc: {
        const auto to = take_pointer(cursor_, program_.pointer_encoding, program_.section_address);
        location_ = to.value_or(0);
        return to.has_value();
      }
      case DW_CFA_advance_loc1:
        return advance(cursor_.take<uint8_t>());
      case DW_CFA_advance_loc2:
        return advance(cursor_.take<uint16_t>());
      case DW_CFA_advance_loc4:
        return advance(cursor_.take<uint32_t>());
      default:
        return false;
    }
  }

  bool define_cfa(uint8_t instruction) {
    Rule& cfa = state_.cfa;
    switch (instruction) {
      case DW_CFA_def_cfa:
      case DW_CFA_def_cfa_sf:
        cfa = {};
        cfa.kind = Kind::Register;
        cfa.base = take_register();
        cfa.number = instruction == DW_CFA_def_cfa ? static_cast<int64_t>(cursor_.take_uleb())
                                                   : factored(cursor_.take_sleb());
        return cfa.base < kRegisters;
      case DW_CFA_def_cfa_register:
        cfa.base = take_register();
        return cfa.kind == Kind::Register && cfa.base < kRegisters;
      case DW_CFA_def_cfa_offset:
        cfa.number = static_cast<int64_t>(cursor_.take_uleb());
        return cfa.kind == Kind::Register;
      case DW_CFA_def_cfa_offset_sf:
        cfa.number = factored(cursor_.take_sleb());
        return cfa.kind == Kind::Register;
      case DW_CFA_def_cfa_expression:
        cfa = by_expression(Kind::ExpressionIs);
        return true;
      default:
        return false;
    }
  }

  bool define_register(uint8_t instruction) {
    const uint8_t target = take_register();
    switch (instruction) {
      case DW_CFA_restore_extended:
        return restore(target);
      case DW_CFA_undefined:
        return set(target, Kind::Undefined, 0);
      case DW_CFA_same_value:
        return set(target, Kind::Same, 0);
      case DW_CFA_offset_extended:
        return set(target, Kind::InMemory, factored(cursor_.take_uleb()));
      case DW_CFA_offset_extended_sf:
        return set(target, Kind::InMemory, factored(cursor_.take_sleb()));
      case DW_CFA_GNU_negative_offset_extended:
        return set(target, Kind::InMemory, factored(0 - cursor_.take_uleb()));
      case DW_CFA_val_offset:
        return set(target, Kind::CfaPlus, factored(cursor_.take_uleb()));
      case DW_CFA_val_offset_sf:
        return set(target, Kind::CfaPlus, factored(cursor_.take_sleb()));
      case DW_CFA_register: {
        const uint8_t base = take_register();
        return base < kRegisters && set(target, Kind::Register, 0, base);
      }
      case DW_CFA_expression:
        return set(target, by_expression(Kind::AtExpression));
      case DW_CFA_val_expression:
        return set(target, by_expression(Kind::ExpressionIs));
      default:
        return false;
    }
  }

  bool advance(uint64_t units) {
    location_ += units * program_.code_alignment;
    return true;
  }

  // Registers beyond ours (vectors and the like) are passed over.
  bool set(uint8_t target, const Rule& rule) {
    if (target < kRegisters) state_.registers[target] = rule;
    return true;
  }
  bool set(uint8_t target, Kind kind, int64_t number, uint8_t base = 0) {
    return set(target, Rule{kind, target, base, number, {}});
  }

  bool restore(uint8_t target) {
    if (target < kRegisters) state_.registers[target] = initial_.registers[target];
    return true;
  }

  uint8_t take_register() {
    const uint64_t number = cursor_.take_uleb();
    return number < kRegisters ? static_cast<uint8_t>(number) : UINT8_MAX;
  }

  Rule by_expression(Kind kind) {
    const uint64_t size = cursor_.take_uleb();
    return {kind, 0, 0, 0, cursor_.take_bytes(size)};
  }

  template <typename Number>
  int64_t factored(Number number) const {
    return static_cast<int64_t>(static_cast<uint64_t>(number) *
                                static_cast<uint64_t>(program_.data_alignment));
  }

  const FrameProgram& program_;
  Cursor cursor_;
  uint64_t location_;
  uint64_t address_;
  const FrameState& initial_;
  FrameState& state_;
  std::vector<FrameState> remembered_;
};

// The number in the format that the lower half of the encoding says.
std::optional<uint64_t> take_encoded(Cursor& cursor, uint8_t format) {
  switch (format) {
    case DW_EH_PE_absptr:
    case DW_EH_PE_udata8:
    case DW_EH_PE_sdata8:
      return cursor.take<uint64_t>();
    case DW_EH_PE_uleb128:
      return cursor.take_uleb();
    case DW_EH_PE_udata2:
      return cursor.take<uint16_t>();
    case DW_EH_PE_udata4:
      return cursor.take<uint32_t>();
    case DW_EH_PE_sleb128:
      return static_cast<uint64_t>(cursor.take_sleb());
    case DW_EH_PE_sdata2:
      return static_cast<uint64_t>(int64_t{cursor.take<int16_t>()});
    case DW_EH_PE_sdata4:
      return static_cast<uint64_t>(int64_t{cursor.take<int32_t>()});
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<uint64_t> take_pointer(Cursor& cursor, uint8_t encoding, uint64_t section_address) {
  const uint64_t here = section_address + cursor.position();
  const auto number = take_encoded(cursor, encoding & 0x0f);
  if (!number || cursor.failed()) return std::nullopt;
  switch (encoding & 0xf0) {
    case DW_EH_PE_absptr:
      return *number;
    case DW_EH_PE_pcrel:
      return here + *number;
    default:
      return std::nullopt;
  }
}

bool run(const FrameProgram& program, Cursor instructions, uint64_t start, uint64_t address,
         const FrameState& initial, FrameState& state) {
  return Run(program, instructions, start, address, initial, state).all();
}

}  // namespace dbtrace::stacks
