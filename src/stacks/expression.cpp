#include "src/stacks/expression.h"

#include <dwarf.h>

#include <array>

#include "src/stacks/cursor.h"

namespace dbtrace::stacks {
namespace {

constexpr size_t kMaxDepth = 64;
// Those of procedure linkage tables and signal frames take ten.
constexpr size_t kMaxSteps = 1000;

class Machine {
 public:
  Machine(std::span<const uint8_t> expression, const Registers& registers, const StackCopy& stack)
      : expression_(expression), cursor_(expression), registers_(registers), memory_(stack) {}

  void push(uint64_t value) {
    if (depth_ == kMaxDepth) {
      failed_ = true;
    } else {
      stack_[depth_++] = value;
    }
  }

  std::optional<uint64_t> run() {
    for (size_t steps = 0; !cursor_.at_end(); ++steps) {
      if (steps == kMaxSteps) return std::nullopt;
      one(cursor_.take<uint8_t>());
      if (failed_ || cursor_.failed()) return std::nullopt;
    }
    const uint64_t result = pop();
    return failed_ ? std::nullopt : std::optional(result);
  }

 private:
  void one(uint8_t operation) {
    if (operation >= DW_OP_lit0 && operation <= DW_OP_lit31) {
      push(operation - DW_OP_lit0);
    } else if (operation >= DW_OP_breg0 && operation <= DW_OP_breg31) {
      push_register(operation - DW_OP_breg0);
    } else if (!constant(operation) && !arrange(operation) && !unary(operation) &&
               !binary(operation)) {
      failed_ = true;
    }
  }

  bool constant(uint8_t operation) {
    switch (operation) {
      case DW_OP_const1u:
        push(cursor_.take<uint8_t>());
        return true;
      case DW_OP_const1s:
        push_signed(cursor_.take<int8_t>());
        return true;
      case DW_OP_const2u:
        push(cursor_.take<uint16_t>());
        return true;
      case DW_OP_const2s:
        push_signed(cursor_.take<int16_t>());
        return true;
      case DW_OP_const4u:
        push(cursor_.take<uint32_t>());
        return true;
      case DW_OP_const4s:
        push_signed(cursor_.take<int32_t>());
        return true;
      case DW_OP_const8u:
      case DW_OP_const8s:
        push(cursor_.take<uint64_t>());
        return true;
      case DW_OP_constu:
        push(cursor_.take_uleb());
        return true;
      case DW_OP_consts:
        push_signed(cursor_.take_sleb());
        return true;
      case DW_OP_bregx:
        push_register(cursor_.take_uleb());
        return true;
      default:
        return false;
    }
  }

  bool arrange(uint8_t operation) {
    switch (operation) {
      case DW_OP_nop:
        return true;
      case DW_OP_drop:
        pop();
        return true;
      case DW_OP_dup:
        push(peek(0));
        return true;
      case DW_OP_over:
        push(peek(1));
        return true;
      case DW_OP_pick:
        push(peek(cursor_.take<uint8_t>()));
        return true;
      case DW_OP_swap: {
        const uint64_t top = pop();
        const uint64_t below = pop();
        push(top);
        push(below);
        return true;
      }
      case DW_OP_rot: {
        const uint64_t first = pop();
        const uint64_t second = pop();
        const uint64_t third = pop();
        push(first);
        push(third);
        push(second);
        return true;
      }
      case DW_OP_skip:
        jump(cursor_.take<int16_t>());
        return true;
      case DW_OP_bra: {
        const auto distance = cursor_.take<int16_t>();
        if (pop() != 0) jump(distance);
        return true;
      }
      default:
        return false;
    }
  }

  bool unary(uint8_t operation) {
    switch (operation) {
      case DW_OP_deref:
        dereference(8);
        return true;
      case DW_OP_deref_size:
        dereference(cursor_.take<uint8_t>());
        return true;
      case DW_OP_neg:
        push(0 - pop());
        return true;
      case DW_OP_not:
        push(~pop());
        return true;
      case DW_OP_abs: {
        const uint64_t value = pop();
        push(static_cast<int64_t>(value) < 0 ? 0 - value : value);
        return true;
      }
      case DW_OP_plus_uconst:
        push(pop() + cursor_.take_uleb());
        return true;
      default:
        return false;
    }
  }

  bool binary(uint8_t operation) {
    const uint64_t right = pop();
    const uint64_t left = pop();
    const auto signed_left = static_cast<int64_t>(left);
    const auto signed_right = static_cast<int64_t>(right);
    switch (operation) {
      case DW_OP_and:
        push(left & right);
        return true;
      case DW_OP_or:
        push(left | right);
        return true;
      case DW_OP_xor:
        push(left ^ right);
        return true;
      case DW_OP_plus:
        push(left + right);
        return true;
      case DW_OP_minus:
        push(left - right);
        return true;
      case DW_OP_mul:
        push(left * right);
        return true;
      case DW_OP_shl:
        push(right < 64 ? left << right : 0);
        return true;
      case DW_OP_shr:
        push(right < 64 ? left >> right : 0);
        return true;
      case DW_OP_shra:
        push_signed(signed_left >> (right < 64 ? right : 63));
        return true;
      case DW_OP_eq:
        push(left == right);
        return true;
      case DW_OP_ne:
        push(left != right);
        return true;
      case DW_OP_lt:
        push(signed_left < signed_right);
        return true;
      case DW_OP_le:
        push(signed_left <= signed_right);
        return true;
      case DW_OP_gt:
        push(signed_left > signed_right);
        return true;
      case DW_OP_ge:
        push(signed_left >= signed_right);
        return true;
      default:
        return false;
    }
  }

  void push_signed(int64_t value) { push(static_cast<uint64_t>(value)); }

  void push_register(uint64_t number) {
    const auto offset = static_cast<uint64_t>(cursor_.take_sleb());
    if (number >= registers_.size()) {
      failed_ = true;
    } else {
      push(registers_[number] + offset);
    }
  }

  void dereference(size_t size) {
    const auto value = memory_.read(pop(), size);
    failed_ = failed_ || !value;
    push(value.value_or(0));
  }

  void jump(int16_t distance) {
    failed_ = failed_ || cursor_.failed();
    // Before the beginning is past the end, for a cursor.
    cursor_ = Cursor(expression_, cursor_.position() + static_cast<size_t>(int64_t{distance}));
  }

  uint64_t peek(size_t below) {
    if (below >= depth_) {
      failed_ = true;
      return 0;
    }
    return stack_[depth_ - 1 - below];
  }

  uint64_t pop() {
    const uint64_t value = peek(0);
    if (!failed_) --depth_;
    return value;
  }

  std::span<const uint8_t> expression_;
  Cursor cursor_;
  const Registers& registers_;
  const StackCopy& memory_;
  std::array<uint64_t, kMaxDepth> stack_{};
  size_t depth_ = 0;
  bool failed_ = false;
};

}  // namespace

std::optional<uint64_t> evaluate(std::span<const uint8_t> expression, std::optional<uint64_t> first,
                                 const Registers& registers, const StackCopy& stack) {
  Machine machine(expression, registers, stack);
  if (first) machine.push(*first);
  return machine.run();
}

}  // namespace dbtrace::stacks
