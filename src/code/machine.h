// The state of one walk through a function: what each register and each stack
// slot holds, symbolically, and the facts gathered on the way. Knows no
// instruction set; processor.h's implementations drive it.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "src/code/trace.h"

namespace dbtrace::code {

[[nodiscard]] Value constant_value(int64_t number);
[[nodiscard]] Value argument_value(int position);
[[nodiscard]] Value stack_value(int64_t offset);

[[nodiscard]] inline bool is_known(const Value& value) {
  return value.base != Value::Base::Unknown;
}
// A plain number, not something loaded from a constant address.
[[nodiscard]] inline bool is_number(const Value& value) {
  return value.base == Value::Base::Constant && value.loads.empty();
}

// The low `width` bytes, zero-extended.
[[nodiscard]] Value narrowed(Value value, uint8_t width);
[[nodiscard]] Value plus(Value value, int64_t number);
// a + b where one of them is a number; else Unknown.
[[nodiscard]] Value sum(const Value& a, const Value& b);

// Which registers a calling convention uses for what, by Machine's numbers.
struct Convention {
  std::span<const int> arguments;
  std::span<const int> lost_in_calls;
  int result;
  int second_result;
  int stack_pointer;
};

class Machine {
 public:
  static constexpr int kRegisters = 32;

  explicit Machine(const Convention& convention);

  std::array<Value, kRegisters> registers;
  std::optional<Compare> flags;  // what the condition flags were last set from, when it is of use
  Path path;

  Value load(const Value& address, uint8_t width);
  void store(const Value& address, const Value& value, uint8_t width);
  // The stack may have changed in places that cannot be told.
  void forget_slots() { slots_.clear(); }
  // A call of `target` (0: indirect), with all that it does to the registers.
  void call(uint64_t target);
  void tail_call(uint64_t target);
  // The return to the caller.
  void finish();
  // Sets `flags` and, when the value is of interest, records the comparison.
  void compare(const Value& value, int64_t constant);
  // From here on `value` is zero wherever it is held; Unknown tells nothing.
  void assume_zero(const Value& value);

 private:
  struct Slot {
    Value value;
    uint8_t width;
  };

  [[nodiscard]] std::vector<Value> arguments() const;
  void forget_slots(int64_t from, int64_t to);
  void note_escape(const Value& value);
  // A callee or an unknown pointer may have written to what escaped.
  void forget_escaped();

  const Convention* convention_;
  std::map<int64_t, Slot> slots_;  // by offset from the entry's SP
  // The lowest stack address that was handed out.
  int64_t escaped_from_ = std::numeric_limits<int64_t>::max();
};

}  // namespace dbtrace::code
