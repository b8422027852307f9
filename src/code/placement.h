// Where in a function's first instructions a probe costs least.
//
// The kernel emulates a few instructions (push, nop) and single-steps the rest
// at ten times the price. Both an entry probe (arguments still in their
// registers) and a return probe (the return address still on top of the stack)
// may sit on any instruction of the straight-line prologue up to the first
// that changes an argument register or the stack pointer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "src/code/trace.h"

namespace dbtrace::code {

struct Placement {
  uint32_t delta = 0;       // bytes from the function's first instruction
  std::string instruction;  // disassembly of the probed instruction: "push rbp"
  bool emulated = false;    // the kernel emulates it (one trap); else it is single-stepped
};

// The best place for an entry+return probe pair in a function whose first
// bytes are `code`. nullopt when not even the first instruction can be decoded
// (never guess a boundary: a probe inside an instruction corrupts the target).
[[nodiscard]] std::optional<Placement> place_probe(Arch arch, std::span<const uint8_t> code);

}  // namespace dbtrace::code
