// Samples in a frame table, and samples that stand by themselves.
#pragma once

#include <vector>

#include "src/model/stack.h"
#include "src/stacks/frame_table.h"

namespace dbtrace::stacks {

[[nodiscard]] model::SampledStacks by_themselves(std::vector<model::Sample> samples,
                                                 const FrameTable& frames);

[[nodiscard]] std::vector<model::Sample> in_table(const model::SampledStacks& stacks,
                                                  FrameTable& frames);
// Of these nothing is known but the names of functions.
[[nodiscard]] std::vector<model::Sample> in_table(const std::vector<model::NamedStack>& stacks,
                                                  FrameTable& frames);

}  // namespace dbtrace::stacks
