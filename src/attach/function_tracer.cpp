#include "src/attach/function_tracer.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include "bpf/func_bpf.skel.h"
#include "src/attach/event_ring.h"
#include "src/attach/preflight.h"
#include "src/attach/probes.h"
#include "src/attach/program_runs.h"

namespace dbtrace::attach {
namespace {

// Entries of the kernel's maps. What finds no room is counted.
constexpr uint32_t kThreads = 65'536;          // functions times threads
constexpr uint32_t kCalls = 65'536;            // begun and not finished
constexpr uint32_t kBucketsPerFunction = 256;  // eight powers of two, all parts of them
constexpr uint32_t kFewestBuckets = 16'384, kMostBuckets = 1'048'576;

struct SkeletonTraits {
  using Handle = func_bpf*;
  static Handle none() { return nullptr; }
  static void release(Handle handle) { func_bpf__destroy(handle); }
};
using Skeleton = Unique<SkeletonTraits>;

size_t exits_of(const FunctionPlan& plan) {
  size_t count = 0;
  for (const PlannedFunction& function : plan.functions) count += function.exits.size();
  return count;
}

void size_maps(func_bpf& bpf, const FunctionPlan& plan, const FunctionTracerOptions& options) {
  const auto functions = static_cast<uint32_t>(plan.functions.size());
  bpf_map__set_max_entries(bpf.maps.functions, functions);
  if (options.by_thread) bpf_map__set_max_entries(bpf.maps.threads, kThreads);
  if (!options.arguments.empty()) bpf_map__set_max_entries(bpf.maps.ring, options.ring_bytes);
  if (!options.durations) return;
  bpf_map__set_max_entries(bpf.maps.exits, static_cast<uint32_t>(exits_of(plan)));
  bpf_map__set_max_entries(bpf.maps.calls, kCalls);
  bpf_map__set_max_entries(bpf.maps.durations, std::clamp(functions * kBucketsPerFunction,
                                                          kFewestBuckets, kMostBuckets));
}

Result<Skeleton> load(const FunctionPlan& plan, const FunctionTracerOptions& options,
                      Mechanism mechanism) {
  Skeleton skeleton(func_bpf__open());
  if (!skeleton) return tl::unexpected(explain_failure("cannot open the BPF programs", errno));
  func_bpf& bpf = *skeleton.get();
  bpf.rodata->only_tgid = options.pid;
  bpf.rodata->by_thread = options.by_thread;
  bpf.rodata->measure = options.durations;
  bpf.rodata->argument_count = static_cast<dbt_u32>(options.arguments.size());
  std::ranges::copy(options.arguments, bpf.rodata->arguments);
  bpf.rodata->wakeup_bytes = options.ring_bytes / 4;
  const PidNamespace pids = own_pid_namespace();
  bpf.rodata->pidns_device = pids.device;
  bpf.rodata->pidns_inode = pids.inode;
  size_maps(bpf, plan, options);
  set_attach_types(bpf.obj, mechanism);
  bpf_program__set_autoload(bpf.progs.function_exit, options.durations);
  if (const int error = func_bpf__load(&bpf))
    return tl::unexpected(explain_failure("cannot load the BPF programs", -error));

  uint32_t index = 0;
  for (const PlannedFunction& function : plan.functions) {
    for (const FunctionExit& exit : function.exits) {
      if (const int error = bpf_map__update_elem(bpf.maps.exits, &index, sizeof(index),
                                                 &exit.kernel, sizeof(exit.kernel), BPF_ANY))
        return tl::unexpected(explain_failure("cannot hand the plan to the kernel", -error));
      ++index;
    }
  }
  return skeleton;
}

struct Places {
  std::vector<Probe> entries;  // cookie: the function
  std::vector<Probe> exits;    // cookie: the exit's index in the kernel's map
};

Places places_of(const FunctionPlan& plan) {
  Places places;
  for (const PlannedFunction& function : plan.functions) {
    places.entries.push_back({function.entry.offset, places.entries.size()});
    for (const FunctionExit& exit : function.exits)
      places.exits.push_back({exit.offset, places.exits.size()});
  }
  return places;
}

// The function that the exit with this index belongs to.
const PlannedFunction& owner_of(const FunctionPlan& plan, uint64_t exit) {
  for (const PlannedFunction& function : plan.functions) {
    if (exit < function.exits.size()) return function;
    exit -= function.exits.size();
  }
  return plan.functions.back();
}

}  // namespace

struct FunctionTracer::Impl {
  Mechanism mechanism = Mechanism::Auto;
  size_t functions = 0;  // in the plan
  size_t entries = 0;    // of them, attached
  size_t probes = 0;
  Skeleton skeleton;
  EventRing ring;
  std::vector<Link> links;

  [[nodiscard]] func_bpf& bpf() const { return *skeleton.get(); }
  Result<void> attach(int binary, const Places& places, const FunctionTracerOptions& options,
                      Attached& entered, Attached& left);
};

// The exits first: an entry without its exit would seem never to end. And where a
// function begins with its exit, the kernel runs what came last first
// (consumer_add(), kernel/events/uprobes.c), so that the call has begun.
Result<void> FunctionTracer::Impl::attach(int binary, const Places& places,
                                          const FunctionTracerOptions& options, Attached& entered,
                                          Attached& left) {
  const size_t count = places.entries.size() + places.exits.size();
  const std::string what =
      fmt::format("the {} places of {} functions", count, places.entries.size());
  if (mechanism == Mechanism::PerfEvent && count > kMostPerfEvents)
    return fail(fmt::format("cannot probe {}: without uprobe_multi, {} are the most", what,
                            kMostPerfEvents),
                "a narrower pattern, or Linux 6.6 or later");
  const ProbedFile file = {binary, options.pid};
  left = attach_probes(bpf().progs.function_exit, file, places.exits, false, mechanism);
  if (left.error) return tl::unexpected(not_attached(what, mechanism, left.error));
  entered = attach_probes(bpf().progs.function_entry, file, places.entries, false, mechanism);
  if (entered.error) {
    remove_together(left.links);
    return tl::unexpected(not_attached(what, mechanism, entered.error));
  }
  entries = places.entries.size() - entered.refused.size();
  probes = entries + places.exits.size() - left.refused.size();
  for (Attached* each : {&entered, &left})
    std::ranges::move(each->links, std::back_inserter(links));
  return {};
}

FunctionTracer::FunctionTracer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
FunctionTracer::FunctionTracer(FunctionTracer&&) noexcept = default;
FunctionTracer& FunctionTracer::operator=(FunctionTracer&&) noexcept = default;
FunctionTracer::~FunctionTracer() {
  if (impl_) remove_together(impl_->links);
}

Result<FunctionTracer> FunctionTracer::attach(int binary, FunctionPlan& plan,
                                              const FunctionTracerOptions& options) {
  prepare_libbpf();
  const Places places = places_of(plan);
  Error failure;
  for (const Mechanism mechanism : candidates(options.mechanism)) {
    auto impl = std::make_unique<Impl>();
    impl->mechanism = mechanism;
    impl->functions = plan.functions.size();
    auto skeleton = load(plan, options, mechanism);
    if (!skeleton) return tl::unexpected(skeleton.error());
    impl->skeleton = std::move(*skeleton);
    auto ring = EventRing::open(impl->bpf().maps.ring);
    if (!ring) return tl::unexpected(ring.error());
    impl->ring = std::move(*ring);
    Attached entered, left;
    if (auto attached = impl->attach(binary, places, options, entered, left); !attached) {
      // What stands in the way of the first mechanism is told, unless the second
      // was on its way and knows better.
      failure = attached.error();
      continue;
    }
    const std::string refusal = "the kernel takes no probe on its first instruction";
    for (const Probe& probe : entered.refused)
      add(plan.not_probed, refusal, plan.functions[probe.cookie].name);
    for (const Probe& probe : left.refused)
      add(plan.remarks, "the kernel takes no probe on one of its exits: calls may have no end",
          owner_of(plan, probe.cookie).name);
    if (impl->entries == 0)
      return fail("nothing that matches can be probed", lines(plan.not_probed));
    impl->bpf().bss->tracing = 1;
    return FunctionTracer(std::move(impl));
  }
  return tl::unexpected(failure);
}

Mechanism FunctionTracer::mechanism() const { return impl_->mechanism; }
size_t FunctionTracer::probes() const { return impl_->probes; }
size_t FunctionTracer::functions() const { return impl_->entries; }
int FunctionTracer::ring_fd() const { return impl_->ring.fd(); }
bool FunctionTracer::drain(const CallHandler& handler) { return impl_->ring.drain(handler); }

std::vector<FunctionNumbers> FunctionTracer::numbers() const {
  std::vector<FunctionNumbers> numbers(impl_->functions);
  const int cpus = libbpf_num_possible_cpus();
  if (cpus <= 0) return numbers;
  std::vector<dbt_func_stats> per_cpu(static_cast<size_t>(cpus));
  for (uint32_t i = 0; i < numbers.size(); ++i) {
    if (bpf_map__lookup_elem(impl_->bpf().maps.functions, &i, sizeof(i), per_cpu.data(),
                             per_cpu.size() * sizeof(dbt_func_stats), 0) != 0)
      continue;
    for (const dbt_func_stats& stats : per_cpu) {
      numbers[i].calls += stats.calls;
      numbers[i].finished += stats.finished;
      numbers[i].total_ns += stats.total_ns;
    }
  }
  return numbers;
}

namespace {

// Calls `take` with each entry. Entries that come meanwhile may be missed.
template <typename Key, typename Value, typename Take>
void for_each(const bpf_map* map, Take take) {
  Key key{};
  const Key* before = nullptr;
  std::vector<Key> keys;  // first: an entry's successor is lost with the entry
  while (bpf_map__get_next_key(map, before, &key, sizeof(key)) == 0) {
    keys.push_back(key);
    before = &keys.back();
    if (keys.size() == bpf_map__max_entries(map)) break;
    if (keys.size() == keys.capacity()) {
      keys.reserve(2 * keys.size());
      before = &keys.back();
    }
  }
  for (const Key& each : keys) {
    Value value{};
    if (bpf_map__lookup_elem(map, &each, sizeof(each), &value, sizeof(value), 0) == 0)
      take(each, value);
  }
}

}  // namespace

std::vector<ThreadCalls> FunctionTracer::threads() const {
  std::vector<ThreadCalls> threads;
  for_each<dbt_func_thread_key, dbt_func_thread>(
      impl_->bpf().maps.threads,
      [&](const dbt_func_thread_key& key, const dbt_func_thread& thread) {
        const std::string name(thread.name, ::strnlen(thread.name, sizeof(thread.name)));
        threads.push_back({key.function, thread.tgid, thread.tid, name, thread.calls});
      });
  return threads;
}

std::vector<model::Histogram> FunctionTracer::durations() const {
  std::vector<model::Histogram> durations(impl_->functions);
  for_each<dbt_func_bucket_key, dbt_u64>(impl_->bpf().maps.durations,
                                         [&](const dbt_func_bucket_key& key, dbt_u64 times) {
                                           if (key.function < durations.size())
                                             durations[key.function].add_bucket(key.bucket, times);
                                         });
  return durations;
}

Result<FunctionCounters> FunctionTracer::counters() const {
  FunctionCounters counters{};
  const auto sums = sum_counters(impl_->bpf().maps.counters, counters.size());
  if (!sums) return tl::unexpected(sums.error());
  std::ranges::copy(*sums, counters.begin());
  return counters;
}

Result<RunCost> FunctionTracer::run_cost() const { return runs_of(impl_->bpf().obj); }

void FunctionTracer::detach() {
  impl_->bpf().bss->tracing = 0;
  remove_together(impl_->links);
}

}  // namespace dbtrace::attach
