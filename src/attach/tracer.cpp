#include "src/attach/tracer.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include "bpf/budget_event.h"
#include "bpf/query_bpf.skel.h"
#include "src/attach/event_ring.h"
#include "src/attach/kernel_hooks.h"
#include "src/attach/preflight.h"
#include "src/attach/probes.h"
#include "src/attach/program_runs.h"
#include "src/attach/running/running_commands.h"
#include "src/attach/stack_capture.h"
#include "src/attach/wait_counts.h"

namespace dbtrace::attach {
namespace {

// Long texts (beyond DBT_TEXT_INLINE) that can be in flight at once.

struct SkeletonTraits {
  using Handle = query_bpf*;
  static Handle none() { return nullptr; }
  static void release(Handle handle) { query_bpf__destroy(handle); }
};
using Skeleton = Unique<SkeletonTraits>;

bpf_program* program_of(const query_bpf& skeleton, ProbePoint::Program program) {
  switch (program) {
    case ProbePoint::Program::CommandBegin:
      return skeleton.progs.command_begin;
    case ProbePoint::Program::CommandEnd:
      return skeleton.progs.command_end;
    case ProbePoint::Program::ExecutionBegin:
      return skeleton.progs.execution_begin;
    case ProbePoint::Program::CommandComplete:
      return skeleton.progs.command_complete;
    case ProbePoint::Program::StatementEnter:
      return skeleton.progs.statement_enter;
    case ProbePoint::Program::StatementLeave:
      return skeleton.progs.statement_leave;
    case ProbePoint::Program::WaitBegin:
      return skeleton.progs.wait_begin;
    case ProbePoint::Program::WaitEnd:
      return skeleton.progs.wait_end;
    case ProbePoint::Program::ReportBegin:
      return skeleton.progs.report_begin;
    case ProbePoint::Program::ReportEnd:
      return skeleton.progs.report_end;
    case ProbePoint::Program::ReportFailure:
      return skeleton.progs.report_failure;
    case ProbePoint::Program::StatementComplete:
      return skeleton.progs.statement_complete;
    case ProbePoint::Program::ErrorBegin:
      return skeleton.progs.error_begins;
    case ProbePoint::Program::ErrorNumber:
      return skeleton.progs.error_number;
    case ProbePoint::Program::LeaderKnown:
      return skeleton.progs.leader_known;
    case ProbePoint::Program::ExecutionEnter:
      return skeleton.progs.execution_enter;
    case ProbePoint::Program::ExecutionLeave:
      return skeleton.progs.execution_leave;
  }
  return nullptr;
}

uint64_t cookie_of(const ProbePoint& point, size_t plan) {
  return plan | uint64_t{point.command} << DBT_COOKIE_COMMAND_SHIFT |
         point.call << DBT_COOKIE_ADDRESS_SHIFT;
}

// 0: every process that runs the file.
uint32_t probed_process(const TracedBinary& binary) {
  return binary.plan.profile->forks ? 0 : binary.pid;
}

bool is_return(ProbePoint::Program program) {
  return program == ProbePoint::Program::CommandEnd ||
         program == ProbePoint::Program::StatementLeave ||
         program == ProbePoint::Program::ExecutionLeave;
}

bool any_forks(const std::vector<TracedBinary>& binaries) {
  return std::ranges::any_of(binaries,
                             [](const TracedBinary& binary) { return binary.plan.profile->forks; });
}

void ask_for_files_of_all_threads(query_bpf& bpf, const std::vector<TracedBinary>& binaries) {
  for (size_t i = 0; i < std::min<size_t>(binaries.size(), DBT_FILES_OF_MAX); ++i) {
    bpf.rodata->files_of_tgids[i] = binaries[i].pid;
    bpf.rodata->files_of_all_threads |= binaries[i].pid != 0;
  }
}

Result<Skeleton> load(const std::vector<TracedBinary>& binaries, const TracerOptions& options,
                      Mechanism mechanism) {
  Skeleton skeleton(query_bpf__open());
  if (!skeleton) return tl::unexpected(explain_failure("cannot open the BPF programs", errno));
  query_bpf& bpf = *skeleton.get();

  bpf.rodata->slower_than_ns = options.slower_than_ns;
  bpf.rodata->only_connection = options.only_connection;
  bpf.rodata->max_text = options.max_text;
  bpf.rodata->wakeup_bytes = options.ring_bytes / 4;
  bpf.rodata->statements_wanted = options.statements;
  for (bpf_program* program : {bpf.progs.statement_enter, bpf.progs.statement_leave,
                               bpf.progs.execution_enter, bpf.progs.execution_leave})
    bpf_program__set_autoload(program, options.statements);
  bpf_program__set_autoload(bpf.progs.process_ends, any_forks(binaries));
  prepare_kernel_hooks(bpf, options);
  WaitCounts::prepare(bpf, options.waits);
  prepare_kinds(bpf, options);
  if (options.files_of_all_threads) ask_for_files_of_all_threads(bpf, binaries);
  bpf.rodata->files_of_children = any_forks(binaries);
  RunningCommands::prepare(bpf, options.running, options.running_for_ns,
                           options.stacks.has_value());
  StackCapture::prepare(bpf, options.stacks);
  const PidNamespace pids = own_pid_namespace();
  bpf.rodata->pidns_device = pids.device;
  bpf.rodata->pidns_inode = pids.inode;
  bpf_map__set_max_entries(bpf.maps.ring, options.ring_bytes);
  bpf_map__set_max_entries(bpf.maps.plans, static_cast<uint32_t>(binaries.size()));
  if (options.max_text > DBT_TEXT_INLINE)
    bpf_map__set_max_entries(bpf.maps.tails, options.long_texts);
  for (bpf_map* table : {bpf.maps.parked, bpf.maps.parked_budgets, bpf.maps.announced,
                         bpf.maps.known_files, bpf.maps.async_operations})
    bpf_map__set_max_entries(table, options.table_entries);
  set_attach_types(bpf.obj, mechanism);

  if (const int error = query_bpf__load(&bpf))
    return tl::unexpected(explain_failure("cannot load the BPF programs", -error));

  for (uint32_t i = 0; i < binaries.size(); ++i) {
    dbt_plan plan = binaries[i].plan.kernel;
    plan.only_tgid = binaries[i].pid;
    if (const int error =
            bpf_map__update_elem(bpf.maps.plans, &i, sizeof(i), &plan, sizeof(plan), BPF_ANY))
      return tl::unexpected(explain_failure("cannot hand the plan to the kernel", -error));
  }
  return skeleton;
}

struct Links {
  std::vector<Link> entries;
  std::vector<Link> returns;
  std::vector<Link> process_ends;
  FeatureLinks features;

  std::vector<Link>& of(Feature feature) { return features[static_cast<size_t>(feature)]; }
};

bool is_about_waits(ProbePoint::Program program) {
  return program == ProbePoint::Program::WaitBegin || program == ProbePoint::Program::WaitEnd;
}

// "dispatch_command at file offset 0x1234", for a program that is to be somewhere.
std::string place_of(const TracedBinary& binary, ProbePoint::Program program) {
  const auto point = std::ranges::find(binary.plan.points, program, &ProbePoint::program);
  return fmt::format("{} at file offset {:#x}", point->function.name.full, point->offset);
}

Result<Links> attach_all(const query_bpf& bpf, const std::vector<TracedBinary>& binaries,
                         Mechanism mechanism) {
  using Program = ProbePoint::Program;
  Links links;
  for (size_t i = 0; i < binaries.size(); ++i) {
    const TracedBinary& binary = binaries[i];
    for (const Program program :
         {Program::CommandBegin, Program::CommandEnd, Program::ExecutionBegin,
          Program::CommandComplete, Program::StatementEnter, Program::StatementLeave,
          Program::WaitBegin, Program::WaitEnd, Program::LeaderKnown, Program::ErrorBegin,
          Program::ErrorNumber, Program::ReportBegin, Program::StatementComplete,
          Program::ReportFailure, Program::ReportEnd, Program::ExecutionEnter,
          Program::ExecutionLeave}) {
      std::vector<Probe> probes;
      for (const ProbePoint& point : binary.plan.points)
        if (point.program == program) probes.push_back({point.offset, cookie_of(point, i)});
      Attached attached =
          attach_probes(program_of(bpf, program), {binary.binary.get(), probed_process(binary)},
                        probes, is_return(program), mechanism);
      const int error = attached.refused.empty() ? attached.error : EOPNOTSUPP;
      if (error) return tl::unexpected(not_attached(place_of(binary, program), mechanism, error));
      std::ranges::move(attached.links,
                        std::back_inserter(is_return(program)        ? links.returns
                                           : is_about_waits(program) ? links.of(Feature::Time)
                                                                     : links.entries));
    }
  }
  return links;
}

}  // namespace

struct Tracer::Impl {
  Mechanism mechanism = Mechanism::Auto;
  Skeleton skeleton;
  EventRing ring;
  RunningCommands running;
  WaitCounts waits;
  StackCapture stacks;
  Links links;
};

Tracer::Tracer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Tracer::Tracer(Tracer&&) noexcept = default;
Tracer& Tracer::operator=(Tracer&&) noexcept = default;
Tracer::~Tracer() = default;

Result<Tracer> Tracer::attach(const std::vector<TracedBinary>& binaries,
                              const TracerOptions& options) {
  prepare_libbpf();
  auto impl = std::make_unique<Impl>();

  Error failure;
  for (const Mechanism mechanism : candidates(options.mechanism)) {
    auto skeleton = load(binaries, options, mechanism);
    if (!skeleton) return tl::unexpected(skeleton.error());
    impl->skeleton = std::move(*skeleton);
    // The ring must be there before the first probe fires.
    auto ring = EventRing::open(impl->skeleton.get()->maps.ring);
    if (!ring) return tl::unexpected(ring.error());
    impl->ring = std::move(*ring);
    if (options.running) {
      auto running = RunningCommands::open(*impl->skeleton.get());
      if (!running) return tl::unexpected(running.error());
      impl->running = std::move(*running);
    }
    if (options.waits) {
      auto waits = WaitCounts::open(*impl->skeleton.get());
      if (!waits) return tl::unexpected(waits.error());
      impl->waits = std::move(*waits);
    }
    if (options.stacks) {
      auto stacks = StackCapture::open(*impl->skeleton.get());
      if (!stacks) return tl::unexpected(stacks.error());
      impl->stacks = std::move(*stacks);
    }
    auto links = attach_all(*impl->skeleton.get(), binaries, mechanism);
    if (links) {
      auto kernel = attach_kernel_hooks(*impl->skeleton.get(), options);
      if (!kernel) return tl::unexpected(kernel.error());
      for (size_t i = 0; i < kFeatures; ++i)
        std::ranges::move((*kernel)[i], std::back_inserter(links->features[i]));
      if (options.stacks) {
        auto timers = StackCapture::attach_timers(*impl->skeleton.get(), options.stacks->frequency);
        if (!timers) return tl::unexpected(timers.error());
        links->of(Feature::Stacks) = std::move(*timers);
      }
      if (any_forks(binaries)) {
        Link ends(bpf_program__attach(impl->skeleton.get()->progs.process_ends));
        if (!ends) return tl::unexpected(explain_failure("cannot see processes that end", errno));
        links->process_ends.push_back(std::move(ends));
      }
      impl->mechanism = mechanism;
      impl->links = std::move(*links);
      impl->skeleton.get()->bss->tracing = 1;
      if (options.running)
        if (auto found = impl->running.find_earlier(binaries, options.max_text); !found)
          return tl::unexpected(found.error());
      return Tracer(std::move(impl));
    }
    if (failure.message.empty()) failure = links.error();
  }
  return tl::unexpected(failure);
}

Result<void> Tracer::rehearse(const std::vector<TracedBinary>& binaries,
                              const TracerOptions& options) {
  prepare_libbpf();
  auto skeleton = load(binaries, options, candidates(options.mechanism).front());
  if (!skeleton) return tl::unexpected(skeleton.error());
  return {};
}

Mechanism Tracer::mechanism() const { return impl_->mechanism; }

int Tracer::ring_fd() const { return impl_->ring.fd(); }

bool Tracer::drain(const EventHandler& handler) { return impl_->ring.drain(handler); }

Result<void> Tracer::running(const EventHandler& handler) { return impl_->running.tell(handler); }

Result<Counters> Tracer::counters() const {
  Counters counters{};
  const auto sums = sum_counters(impl_->skeleton.get()->maps.counters, counters.size());
  if (!sums) return tl::unexpected(sums.error());
  std::ranges::copy(*sums, counters.begin());
  return counters;
}

Result<RunCost> Tracer::run_cost() const { return runs_of(impl_->skeleton.get()->obj); }

void Tracer::shed(Feature feature) {
  impl_->skeleton.get()->bss->shed |= shed_bit(feature);
  remove_together(impl_->links.of(feature));
}

Result<model::WaitSums> Tracer::wait_sums(const EventNames& names) const {
  return impl_->waits.read(names);
}

Result<KindSums> Tracer::kind_sums() const { return read_kinds(*impl_->skeleton.get()); }

bool Tracer::drain_stacks(const EventHandler& handler) { return impl_->stacks.drain(handler); }

Result<void> Tracer::look_at_waits(const EventHandler& handler) {
  if (impl_->skeleton.get()->bss->shed & DBT_SHED_STACKS) return {};
  return impl_->stacks.look(handler);
}

void Tracer::detach() {
  impl_->skeleton.get()->bss->tracing = 0;
  remove_together(impl_->links.entries);
  // Meanwhile most commands that were running have come to their end.
  remove_together(impl_->links.returns);
  for (std::vector<Link>& links : impl_->links.features) remove_together(links);
  remove_together(impl_->links.process_ends);
}

}  // namespace dbtrace::attach
