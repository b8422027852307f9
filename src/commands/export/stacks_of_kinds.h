// The stacks of recorded queries: one profile a kind of query, in the formats of `dbtrace stacks`.
#pragma once

#include <memory>

#include "src/output/sink.h"
#include "src/output/stacks/stack_sink.h"

namespace dbtrace::commands {

// A recording has the heaviest stacks of each query, and not when they were.
[[nodiscard]] std::unique_ptr<output::Sink> make_stacks_of_kinds(output::StackFormat format);

}  // namespace dbtrace::commands
