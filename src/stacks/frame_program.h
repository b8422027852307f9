// The instructions that call frame information is made of (DWARF 5, section 6.4.2).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "src/stacks/cursor.h"
#include "src/stacks/frame_rules.h"

namespace dbtrace::stacks {

// Reads a pointer that is encoded as an .eh_frame says (DW_EH_PE_*, Linux Standard
// Base, "DWARF Extensions"). `section_address` is where the bytes of `cursor` begin.
// nullopt: it is not there, or encoded in a way that no linker uses for code.
[[nodiscard]] std::optional<uint64_t> take_pointer(Cursor& cursor, uint8_t encoding,
                                                   uint64_t section_address);

// Rules for all registers, while they are being found.
struct FrameState {
  Rule cfa;
  std::array<Rule, kRegisters> registers;
};

struct FrameProgram {
  uint64_t code_alignment = 1;
  int64_t data_alignment = 1;
  uint8_t pointer_encoding = 0;
  uint64_t section_address = 0;
};

// Carries out `instructions`, a part of a section, from the function's `start` until
// `address` is passed. `initial` is what DW_CFA_restore goes back to. Returns whether
// all instructions on the way made sense.
[[nodiscard]] bool run(const FrameProgram& program, Cursor instructions, uint64_t start,
                       uint64_t address, const FrameState& initial, FrameState& state);

}  // namespace dbtrace::stacks
