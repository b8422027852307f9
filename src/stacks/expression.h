// DWARF expressions (DWARF 5, section 2.5), as far as call frame information needs them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "src/stacks/thread_state.h"

namespace dbtrace::stacks {

// What `expression` comes to, begun with `first` on its stack, if given. nullopt: it
// reads what was not copied, uses what has no meaning here, or goes on too long.
[[nodiscard]] std::optional<uint64_t> evaluate(std::span<const uint8_t> expression,
                                               std::optional<uint64_t> first,
                                               const Registers& registers, const StackCopy& stack);

}  // namespace dbtrace::stacks
