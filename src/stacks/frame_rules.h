// How the registers of a function's caller are found at one place of its code: a row
// of the table that DWARF calls call frame information (DWARF 5, section 6.4.1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dbtrace::stacks {

// Registers by DWARF number; those beyond have no part in finding callers.
inline constexpr size_t kRegisters = 33;

// The CFA is the caller's stack pointer, about: what most else is relative to.
struct Rule {
  enum class Kind : uint8_t {
    Same,          // it still is in its register
    Undefined,     // lost; for a return address: there is no caller
    InMemory,      // at CFA + number
    CfaPlus,       // is CFA + number
    Register,      // is in the register `base`, plus number
    AtExpression,  // where an expression says
    ExpressionIs,  // what an expression says
  };
  Kind kind = Kind::Same;
  uint8_t target = 0;  // the caller's register that this is about
  uint8_t base = 0;
  int64_t number = 0;
  std::span<const uint8_t> expression;  // DWARF 5, section 2.5
};

struct FrameRules {
  Rule cfa;                     // Register or ExpressionIs
  std::vector<Rule> registers;  // those that are not Same
  uint8_t return_register = 0;  // stands for the caller's program counter
  uint64_t into_function = 0;  // bytes from where the function begins to the place
  // What a signal interrupted is no call: its address is exact.
  bool is_signal_frame = false;
};

}  // namespace dbtrace::stacks
