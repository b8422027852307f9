// Where a probe on a function that was found would be put.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/code/placement.h"
#include "src/code/trace.h"
#include "symbols/elf_file.h"
#include "symbols/location.h"
#include "symbols/result.h"

namespace dbtrace::attach {

// nullopt: a processor that dbtrace does not know.
[[nodiscard]] std::optional<code::Arch> arch_of(symbols::Machine machine);

// Code at the begin of a function, not beyond its end where that is known (size 0:
// it is not): enough to find its prologue and the jumps back into it.
[[nodiscard]] std::vector<uint8_t> prologue(const symbols::ElfFile& binary, uint64_t address,
                                            uint64_t size);

// For a probe on this instruction in the middle of code, and on no other. nullopt: it cannot be
// decoded, or takes no probe.
[[nodiscard]] std::optional<code::Placement> place_here(const symbols::ElfFile& binary,
                                                        code::Arch arch, uint64_t address);

struct ProbePlace {
  uint64_t offset = 0;      // of the probed instruction in the binary's file
  uint32_t delta = 0;       // bytes from the function's first instruction
  std::string instruction;  // "push rbp"
  bool emulated = false;    // by the kernel, which is cheap; else single-stepped
};

// The error's message says why no probe belongs there.
[[nodiscard]] Result<ProbePlace> probe_place(const symbols::ElfFile& binary,
                                             const symbols::Location& location);

}  // namespace dbtrace::attach
