// What the agent tells of itself and of tracing. docs/fleet.md lists it.
#pragma once

#include <cstdint>
#include <vector>

#include "src/commands/tracing/self_cost.h"
#include "src/commands/tracing/summary.h"
#include "src/output/metrics.h"
#include "src/target/server.h"

namespace dbtrace::commands {

// Queries that have begun and not ended, and how long the oldest of them has run.
struct Running {
  uint64_t count = 0;
  uint64_t longest_ns = 0;
};

// dbtrace itself, and whether servers are traced.
void tell_agent(const std::vector<target::Server>& servers, output::Metrics& out);
void tell_account(const Tally& tally, const Running& running, output::Metrics& out);
// What was measured; nothing of what the kernel does not tell.
void tell_cost(const SelfCost& cost, output::Metrics& out);

}  // namespace dbtrace::commands
