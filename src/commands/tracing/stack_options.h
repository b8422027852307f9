// What is asked for of stacks, the same for all commands that show them.
#pragma once

#include <cstdint>
#include <string>

#include "src/attach/tracer.h"

namespace CLI {
class App;
}

namespace dbtrace::commands {

// --frequency, --stacks-per-second, --stack-buffer.
void add_stack_options(CLI::App& command, attach::StackOptions& options, const std::string& group);

// Has stacks taken of queries that take `slow_ns` or longer. `options.stacks` is there.
void watch_stacks(uint64_t slow_ns, attach::TracerOptions& options);

}  // namespace dbtrace::commands
