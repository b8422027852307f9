// Where a function is left: its return instructions and the jumps out of it.
//
// A return probe (uretprobe) replaces the return address, and an exception that
// is thrown through such a frame ends the program. Probes on the instructions
// below change nothing but the instruction's first byte, so they are safe in any
// function, provided that they really sit on instructions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/code/trace.h"
#include "symbols/result.h"

namespace dbtrace::code {

// A piece of a function: the function itself or its `.cold` part.
struct Part {
  uint64_t address = 0;
  std::span<const uint8_t> bytes;
};

// One instruction that leaves the function, or may. At each that does, the stack
// pointer is what it was at the function's entry; a jump to code of the same
// function that no symbol names (`.cold` in a stripped binary) looks alike, but
// has the stack pointer of the middle of a function, nearly always.
struct Exit {
  enum class Kind : uint8_t {
    Return,
    Jump,          // out of the function: a tail call
    Branch,        // the same, if `condition` holds (x86-64 only)
    ComputedJump,  // to wherever a register or memory says: a tail call, or a switch's table
  };
  // For ComputedJump: the jump goes to base + index * scale + displacement, or to
  // the address that lies there. Registers have the numbers of their encoding.
  struct Computation {
    static constexpr uint8_t kNone = 0xff;
    uint8_t base = kNone;
    uint8_t index = kNone;
    uint8_t scale = 1;
    bool in_memory = false;
    int32_t displacement = 0;
    friend bool operator==(const Computation&, const Computation&) = default;
  };

  uint64_t address = 0;
  Kind kind = Kind::Return;
  uint8_t condition = 0;  // for Branch: the low four bits of its opcode
  Computation to = {};

  friend bool operator==(const Exit&, const Exit&) = default;
};

// All exits of a function, by address within each part. `parts` begins with the
// function itself and holds each part whole.
//
// The answer is given only when a sweep through all bytes is to be trusted: every
// instruction decodes, the last one ends where the part ends and does not run on
// beyond, every direct jump or call into the function meets an instruction's
// begin, none meets what lies before or at the probe `entry` bytes behind the
// function's begin (a round of a loop would look like a call), and the kernel takes
// a probe on every exit. Errors are reasons that fit behind a colon: "an
// instruction at +0x12 cannot be decoded".
[[nodiscard]] Result<std::vector<Exit>> find_exits(Arch arch, std::span<const Part> parts,
                                                   uint32_t entry = 0);

}  // namespace dbtrace::code
