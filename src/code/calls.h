// Where a function calls another one, as a place for a probe: there the call's
// arguments are in their registers, and the kernel emulates the instruction.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/code/placement.h"

namespace dbtrace::code {

// The direct calls to `target` in a function whose code, `code`, lies at
// `address`. Instructions are decoded one after the other from the function's
// begin; what stands behind one that cannot be decoded is not looked at.
[[nodiscard]] std::vector<Placement> find_calls(Arch arch, std::span<const uint8_t> code,
                                                uint64_t address, uint64_t target);

}  // namespace dbtrace::code
