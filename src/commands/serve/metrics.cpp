#include "src/commands/serve/metrics.h"

#include <fmt/format.h>
#include <unistd.h>

#include <ctime>
#include <fstream>

#include "src/commands/wall_clock.h"
#include "src/output/metrics_text.h"

namespace dbtrace::commands {
namespace {

using output::MetricsText;

// 0: it cannot be read.
uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  uint64_t pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

void append_agent(const std::vector<target::Server>& servers, std::string& out) {
  MetricsText text(out);
  text.metric("dbtrace_build_info", "gauge", "Which dbtrace this is.");
  text.sample({{"version", DBTRACE_VERSION}}, uint64_t{1});
  text.metric("dbtrace_attached", "gauge",
              "Servers that are traced; --exe: 1 for all processes of a file. 0: none is there.");
  text.sample({}, servers.size());
  if (!servers.empty()) text.metric("dbtrace_server_info", "gauge", "Each of them.");
  for (const target::Server& server : servers)
    text.sample({{"pid", fmt::format("{}", server.pid)},
                 {"server", server.profile->title},
                 {"version", server.version},
                 {"executable", server.executable}},
                uint64_t{1});
  text.metric("process_cpu_seconds_total", "counter", "Processor time of dbtrace.");
  text.sample_seconds({}, nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID));
  text.metric("process_resident_memory_bytes", "gauge", "Memory of dbtrace.");
  text.sample({}, resident_bytes());
}

void append_account(const Tracing& tracing, std::string& out) {
  MetricsText text(out);
  const Tally& tally = tracing.tally;
  text.metric(
      "dbtrace_commands_total", "counter",
      "Commands that were seen, by what became of them: counted, filtered, hidden (of kinds "
      "not asked for) or lost.");
  text.sample({{"fate", "counted"}}, tally.shown);
  text.sample({{"fate", "filtered"}}, filtered(tally));
  text.sample({{"fate", "hidden"}}, tally.kernel[DBT_COUNT_HIDDEN]);
  text.sample({{"fate", "lost"}}, lost(tally));
  text.metric("dbtrace_commands_lost_by_reason_total", "counter",
              "Commands of which nothing is known, by why.");
  for (const LossClass& each : classes_of_lost(tally))
    text.sample({{"reason", each.name}}, each.count);
  text.metric("dbtrace_commands_incomplete_total", "counter",
              "What is not known of commands that were counted.");
  for (const LossClass& each : classes_of_incomplete(tally))
    text.sample({{"lack", each.name}}, each.count);
  text.metric("dbtrace_queries_running", "gauge", "Queries that have begun and not ended.");
  text.sample({}, tracing.running);
  text.metric("dbtrace_longest_running_seconds", "gauge", "How long the oldest of them has run.");
  text.sample_seconds({}, tracing.longest_ns);
}

void append_cost(const SelfCost& cost, std::string& out) {
  const Cost measured = cost.measured().value_or(Cost{});
  MetricsText text(out);
  text.metric(
      "dbtrace_cost_seconds_total", "counter",
      "Processor time of tracing: BPF programs, the traps that lead to them (at least), and "
      "dbtrace.");
  text.sample_seconds({{"part", "dbtrace"}}, measured.own_ns);
  if (cost.why_not().empty()) {
    text.sample_seconds({{"part", "programs"}}, measured.programs_ns);
    text.sample_seconds({{"part", "traps"}}, measured.traps_ns);
    text.metric("dbtrace_probe_hits_total", "counter", "Traps in the servers.");
    text.sample({}, measured.hits);
  }
  text.metric("dbtrace_server_cpu_seconds_total", "counter",
              "Processor time of the traced servers, while the cost was measured.");
  text.sample_seconds({}, measured.server_ns);
}

}  // namespace dbtrace::commands
