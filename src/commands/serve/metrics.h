// What the agent tells of itself and of tracing, as Prometheus reads it. docs/fleet.md lists it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/commands/tracing/self_cost.h"
#include "src/commands/tracing/summary.h"
#include "src/target/server.h"

namespace dbtrace::commands {

// At one moment; times in nanoseconds.
struct Tracing {
  std::vector<target::Server> servers;  // that have probes
  Tally tally;
  uint64_t running = 0;     // queries that have begun and not ended, and…
  uint64_t longest_ns = 0;  // …how long the oldest of them has run
};

// dbtrace itself, and whether servers are traced.
void append_agent(const std::vector<target::Server>& servers, std::string& out);
void append_account(const Tracing& tracing, std::string& out);
// What was measured; nothing of what the kernel does not tell.
void append_cost(const SelfCost& cost, std::string& out);

}  // namespace dbtrace::commands
