#include "src/commands/tracing/stack_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "src/commands/checks.h"
#include "src/commands/tracing/options.h"

namespace dbtrace::commands {
namespace {

// The timers begin with a query at this part of what makes it slow: before that it is most
// likely a fast one.
constexpr uint64_t kEarlyPart = 10;

}  // namespace

void add_stack_options(CLI::App& command, attach::StackOptions& options, const std::string& group) {
  constexpr uint64_t kMostFrequent = 10'000;
  constexpr uint64_t kMost = 1'000'000;
  command
      .add_option("--frequency", options.frequency,
                  fmt::format("Samples a second on each core [{}]", options.frequency))
      ->check(whole_number(1, kMostFrequent))
      ->type_name("HZ")
      ->group(group);
  command
      .add_option("--stacks-per-second", options.per_second,
                  fmt::format("No more stacks than this, which limits what they cost [{}]",
                              options.per_second))
      ->check(whole_number(1, kMost))
      ->type_name("N")
      ->group(group);
  add_buffer_option(command, "--stack-buffer", options.ring_bytes,
                    "Kernel buffer for stacks, a power of two [16M]", group);
}

void watch_stacks(uint64_t slow_ns, attach::TracerOptions& options) {
  options.stacks->slow_ns = slow_ns;
  options.stacks->early_ns = slow_ns / kEarlyPart;
}

}  // namespace dbtrace::commands
