#include "src/commands/serve/metrics.h"

#include <fmt/format.h>
#include <unistd.h>

#include <ctime>
#include <fstream>

#include "src/commands/wall_clock.h"

namespace dbtrace::commands {
namespace {

using output::Metric;
using output::MetricType;

constexpr Metric kBuild = {"dbtrace_build_info", "dbtrace.build.info", "", MetricType::Gauge,
                           "Which dbtrace this is."};
constexpr Metric kAttached = {
    "dbtrace_attached", "dbtrace.attached", "{server}", MetricType::Gauge,
    "Servers that are traced; --exe: 1 for all processes of a file. 0: none is there."};
constexpr Metric kServer = {"dbtrace_server_info", "dbtrace.server.info", "", MetricType::Gauge,
                            "Each of them."};
constexpr Metric kProcessTime = {"process_cpu_seconds_total", "process.cpu.time", "s",
                                 MetricType::Counter, "Processor time of dbtrace."};
constexpr Metric kProcessMemory = {"process_resident_memory_bytes", "process.memory.usage", "By",
                                   MetricType::Gauge, "Memory of dbtrace."};
constexpr Metric kCommands = {
    "dbtrace_commands_total", "dbtrace.commands", "{command}", MetricType::Counter,
    "Commands that were seen, by what became of them: counted, filtered, hidden (of kinds "
    "not asked for) or lost."};
constexpr Metric kLostByReason = {
    "dbtrace_commands_lost_by_reason_total", "dbtrace.commands.lost_by_reason", "{command}",
    MetricType::Counter, "Commands of which nothing is known, by why."};
constexpr Metric kIncomplete = {"dbtrace_commands_incomplete_total", "dbtrace.commands.incomplete",
                                "{command}", MetricType::Counter,
                                "What is not known of commands that were counted."};
constexpr Metric kRunning = {"dbtrace_queries_running", "dbtrace.queries.running", "{query}",
                             MetricType::Gauge, "Queries that have begun and not ended."};
constexpr Metric kLongest = {"dbtrace_longest_running_seconds", "dbtrace.longest_running", "s",
                             MetricType::Gauge, "How long the oldest of them has run."};
constexpr Metric kCost = {
    "dbtrace_cost_seconds_total", "dbtrace.cost", "s", MetricType::Counter,
    "Processor time of tracing: BPF programs, the traps that lead to them (at least), and "
    "dbtrace."};
constexpr Metric kHits = {"dbtrace_probe_hits_total", "dbtrace.probe.hits", "{trap}",
                          MetricType::Counter, "Traps in the servers."};
constexpr Metric kServerTime = {
    "dbtrace_server_cpu_seconds_total", "dbtrace.server.cpu", "s", MetricType::Counter,
    "Processor time of the traced servers, while the cost was measured."};

// 0: it cannot be read.
uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  uint64_t pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

void tell_agent(const std::vector<target::Server>& servers, output::Metrics& out) {
  out.metric(kBuild);
  out.sample({{"version", DBTRACE_VERSION}}, uint64_t{1});
  out.metric(kAttached);
  out.sample({}, servers.size());
  if (!servers.empty()) out.metric(kServer);
  for (const target::Server& server : servers)
    out.sample({{"pid", fmt::format("{}", server.pid)},
                {"server", server.profile->title},
                {"version", server.version},
                {"executable", server.executable}},
               uint64_t{1});
  out.metric(kProcessTime);
  out.sample_seconds({}, nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID));
  out.metric(kProcessMemory);
  out.sample({}, resident_bytes());
}

void tell_account(const Tally& tally, const Running& running, output::Metrics& out) {
  out.metric(kCommands);
  out.sample({{"fate", "counted"}}, tally.shown);
  out.sample({{"fate", "filtered"}}, filtered(tally));
  out.sample({{"fate", "hidden"}}, tally.kernel[DBT_COUNT_HIDDEN]);
  out.sample({{"fate", "lost"}}, lost(tally));
  out.metric(kLostByReason);
  for (const LossClass& each : classes_of_lost(tally))
    out.sample({{"reason", each.name}}, each.count);
  out.metric(kIncomplete);
  for (const LossClass& each : classes_of_incomplete(tally))
    out.sample({{"lack", each.name}}, each.count);
  out.metric(kRunning);
  out.sample({}, running.count);
  out.metric(kLongest);
  out.sample_seconds({}, running.longest_ns);
}

void tell_cost(const SelfCost& cost, output::Metrics& out) {
  const Cost measured = cost.measured().value_or(Cost{});
  out.metric(kCost);
  out.sample_seconds({{"part", "dbtrace"}}, measured.own_ns);
  if (cost.why_not().empty()) {
    out.sample_seconds({{"part", "programs"}}, measured.programs_ns);
    out.sample_seconds({{"part", "traps"}}, measured.traps_ns);
    out.metric(kHits);
    out.sample({}, measured.hits);
  }
  out.metric(kServerTime);
  out.sample_seconds({}, measured.server_ns);
}

}  // namespace dbtrace::commands
