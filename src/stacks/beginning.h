// Where a stack begins, and what says so when that is not where it should.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "src/model/stack.h"
#include "src/stacks/frame_table.h"

namespace dbtrace::stacks {

// The outermost frame of a stack that is not whole: who called the next is not known.
inline constexpr std::string_view kBrokenOff = "[broken off]";

// The frames of `sample`; kBrokenOff before them where it is not whole and nothing says so.
[[nodiscard]] std::vector<model::FrameId> marked_frames(const model::Sample& sample,
                                                        FrameTable& frames);

// Drops what lies outside the outermost call of `function` (a frame's whole name); those
// stacks are whole then, even if they broke off further out. Stacks without it stay as they
// are, and when they are whole, begin with the marker "[not in FUNCTION]". Returns how many
// are without it.
uint64_t begin_at(std::string_view function, std::vector<model::Sample>& samples,
                  FrameTable& frames);

}  // namespace dbtrace::stacks
