#include "src/commands/tracing/self_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "src/commands/wall_clock.h"
#include "src/output/counted.h"
#include "src/sandbox/capabilities.h"
#include "src/target/process.h"

namespace dbtrace::commands {
namespace {

constexpr std::chrono::seconds kStretch{1}, kMeasured{10};
// Where traps cannot be measured: what others have published of a machine without a hypervisor, for
// instructions that the kernel does not step over (docs/overhead.md).
constexpr attach::TrapCost kUsualTraps{.entry = 333, .at_return = 160};
// A server that uses less of a core is as good as idle: a part of that says nothing.
constexpr double kAtWork = 0.1;

uint64_t nanoseconds(std::chrono::steady_clock::duration duration) {
  return static_cast<uint64_t>(std::chrono::nanoseconds(duration).count());
}

using ProcessTimes = std::map<uint32_t, uint64_t>;

// Of processes that were there all the time: of others the kernel tells no beginning, or no end.
uint64_t growth(const ProcessTimes& now, const ProcessTimes& before) {
  uint64_t sum = 0;
  for (const auto& [pid, ns] : now) {
    const auto found = before.find(pid);
    if (found != before.end() && ns > found->second) sum += ns - found->second;
  }
  return sum;
}

double part(uint64_t of, uint64_t whole) {
  return whole ? static_cast<double>(of) / static_cast<double>(whole) : 0;
}

}  // namespace

Cost& Cost::operator+=(const Cost& other) {
  length_ns += other.length_ns;
  programs_ns += other.programs_ns;
  traps_ns += other.traps_ns;
  hits += other.hits;
  own_ns += other.own_ns;
  server_ns += other.server_ns;
  return *this;
}

double Cost::of_servers() const { return part(all_ns(), std::max(server_ns, length_ns)); }

std::string percent_text(double share) {
  const double percent = 100 * share;
  return fmt::format("{:.{}f} %", percent, percent < 10 ? 1 : 0);
}

Result<SelfCost::Reading> SelfCost::read(const Traced& traced) {
  const auto runs = traced.run_cost();
  if (!runs) return tl::unexpected(runs.error());
  Reading reading{.time = Clock::now(),
                  .runs = *runs,
                  .own_ns = nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID),
                  .server_ns = {}};
  for (const uint32_t pid : traced.processes())
    reading.server_ns[pid] = target::Proc().processor_time(pid);
  return reading;
}

void SelfCost::prepare(attach::Mechanism mechanism) {
  trap_ = kUsualTraps;
  std::promise<void> promise;
  const auto measured = promise.get_future();
  try {
    removing_ =
        std::async(std::launch::async, [this, mechanism, promise = std::move(promise)]() mutable {
          bool told = false;
          (void)attach::measure_traps(mechanism, [&](attach::TrapCost cost) {
            trap_ = cost;
            (void)sandbox::keep_capabilities(0);  // it only removes them from here on
            told = true;
            promise.set_value();
          });
          if (!told) promise.set_value();
        });
    measured.wait();
  } catch (const std::system_error&) {  // there is no thread to be had
  }
  if (auto counting = attach::RunCounting::begin())
    counting_ = std::move(*counting);
  else
    why_not_ = counting.error().message;
}

Result<void> SelfCost::begin(const Traced& traced) {
  begin_ = Clock::now();
  begin_own_ns_ = nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID);
  if (auto begun = begin_stretch(traced); !begun) return begun;
  stretch_->runs = {};  // the kernel has counted since before the first one
  return {};
}

Result<void> SelfCost::begin_stretch(const Traced& traced) {
  auto reading = read(traced);
  if (!reading) return tl::unexpected(reading.error());
  stretch_ = *reading;
  return {};
}

Result<Cost> SelfCost::end_stretch(const Traced& traced) {
  const Reading begin = *std::exchange(stretch_, std::nullopt);
  const auto end = read(traced);
  if (!end) return tl::unexpected(end.error());
  attach::RunCost runs = end->runs;
  runs -= begin.runs;
  const Cost cost{.length_ns = nanoseconds(end->time - begin.time),
                  .programs_ns = runs.ns,
                  .traps_ns = trap_.of(runs),
                  .hits = runs.hits(),
                  .own_ns = end->own_ns - begin.own_ns,
                  .server_ns = growth(end->server_ns, begin.server_ns)};
  if (!measured_) measured_.emplace();
  *measured_ += cost;
  latest_ = cost;
  return cost;
}

Result<std::optional<Cost>> SelfCost::tick(const Traced& traced) {
  const auto now = Clock::now();
  if (!stretch_ || now - stretch_->time < kStretch) return std::nullopt;
  const auto cost = end_stretch(traced);
  if (!cost) return tl::unexpected(cost.error());
  stopped_ = !all_the_time_ && now - begin_ >= kMeasured;
  if (stopped_)
    counting_ = {};
  else if (auto begun = begin_stretch(traced); !begun)
    return tl::unexpected(begun.error());
  return *cost;
}

Result<void> SelfCost::end(const Traced& traced) {
  if (stretch_)
    if (auto cost = end_stretch(traced); !cost) return tl::unexpected(cost.error());
  counting_ = {};
  run_ns_ = nanoseconds(Clock::now() - begin_);
  run_own_ns_ = nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID) - begin_own_ns_;
  return {};
}

std::string SelfCost::latest_text() const {
  if (!latest_) return "";
  return percent_text(part(latest_->all_ns(), latest_->length_ns)) + " of a core";
}

std::string SelfCost::text() const {
  const Cost measured = measured_.value_or(Cost{});
  const double own = part(run_own_ns_, run_ns_);
  if (!why_not_.empty())
    return fmt::format("{} of a core in dbtrace; not known what in the kernel ({})",
                       percent_text(own), why_not_);
  const double programs = part(measured.programs_ns, measured.length_ns);
  const double traps = part(measured.traps_ns, measured.length_ns);
  std::string text = percent_text(programs + traps + own) + " of a core";
  if (part(measured.server_ns, measured.length_ns) >= kAtWork)
    text += fmt::format(" ({} of what the server uses)",
                        percent_text(part(measured.all_ns(), measured.server_ns)));
  text += fmt::format(": {} in BPF programs, at least {} in {}, {} in dbtrace",
                      percent_text(programs), percent_text(traps),
                      output::counted(measured.hits, "probe hit"), percent_text(own));
  if (stopped_)
    text += fmt::format("; the kernel's part in the first {} s",
                        std::chrono::nanoseconds(measured.length_ns) / std::chrono::seconds(1));
  return text;
}

}  // namespace dbtrace::commands
