// What the kernel makes of an instruction that a probe sits on.
#pragma once

#include <capstone/capstone.h>

#include <cstdint>
#include <initializer_list>

#include "src/code/trace.h"

namespace dbtrace::code {

// Whether the kernel emulates the instruction (one trap, cheap) and does not
// single-step it. Calls are emulated too, but push: left out, so that "emulated"
// always means "leaves the stack as the function expects it".
[[nodiscard]] bool is_emulated(Arch arch, const cs_insn& instruction);

// Whether the kernel refuses a probe on it.
[[nodiscard]] bool is_refused(Arch arch, const cs_insn& instruction);

// x86-64: whether the instruction has one of these prefix bytes.
[[nodiscard]] bool has_prefix(const cs_insn& instruction, std::initializer_list<uint8_t> prefixes);

}  // namespace dbtrace::code
