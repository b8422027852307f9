#include "src/attach/tracer.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <system_error>
#include <thread>
#include <utility>

#include "bpf/query_bpf.skel.h"
#include "src/attach/preflight.h"

namespace dbtrace::attach {
namespace {

// Long texts (beyond DBT_TEXT_INLINE) that can be in flight at once.
constexpr uint32_t kLongTexts = 64;

// The inode number of the initial pid namespace: PROC_PID_INIT_INO in the
// kernel's include/linux/proc_ns.h.
constexpr uint64_t kInitialPidNamespace = 0xEFFFFFFC;

struct SkeletonTraits {
  using Handle = query_bpf*;
  static Handle none() { return nullptr; }
  static void release(Handle handle) { query_bpf__destroy(handle); }
};
struct LinkTraits {
  using Handle = bpf_link*;
  static Handle none() { return nullptr; }
  static void release(Handle handle) { bpf_link__destroy(handle); }
};
struct RingTraits {
  using Handle = ring_buffer*;
  static Handle none() { return nullptr; }
  static void release(Handle handle) { ring_buffer__free(handle); }
};
using Skeleton = Unique<SkeletonTraits>;
using Link = Unique<LinkTraits>;
using Ring = Unique<RingTraits>;

// libbpf explains itself on stderr; our own errors say it better, so its words
// are shown only on request.
int print_libbpf(libbpf_print_level, const char* format, va_list arguments) {
  static const bool wanted = std::getenv("DBTRACE_DEBUG") != nullptr;
  return wanted ? std::vfprintf(stderr, format, arguments) : 0;
}

bpf_program* program_of(const query_bpf& skeleton, ProbePoint::Program program) {
  switch (program) {
    case ProbePoint::Program::CommandBegin:
      return skeleton.progs.command_begin;
    case ProbePoint::Program::CommandEnd:
      return skeleton.progs.command_end;
    case ProbePoint::Program::StatementBegin:
      return skeleton.progs.statement_begin;
    case ProbePoint::Program::CommandComplete:
      return skeleton.progs.command_complete;
  }
  return nullptr;
}

bool is_return(ProbePoint::Program program) { return program == ProbePoint::Program::CommandEnd; }

// Outside the initial pid namespace the kernel's ids differ from ours.
void set_pid_namespace(query_bpf& skeleton) {
  struct stat status {};
  if (::stat("/proc/self/ns/pid", &status) != 0 || status.st_ino == kInitialPidNamespace) return;
  skeleton.rodata->pidns_device = status.st_dev;
  skeleton.rodata->pidns_inode = status.st_ino;
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
  set_pid_namespace(bpf);
  bpf_map__set_max_entries(bpf.maps.ring, options.ring_bytes);
  bpf_map__set_max_entries(bpf.maps.plans, static_cast<uint32_t>(binaries.size()));
  if (options.max_text > DBT_TEXT_INLINE) bpf_map__set_max_entries(bpf.maps.tails, kLongTexts);
  // The programs' sections say "uprobe.multi"; a plain uprobe has no attach type.
  if (mechanism == Mechanism::PerfEvent)
    for (bpf_program* program : {bpf.progs.command_begin, bpf.progs.command_end,
                                 bpf.progs.statement_begin, bpf.progs.command_complete})
      bpf_program__set_expected_attach_type(program, static_cast<bpf_attach_type>(0));

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

Link attach_point(const query_bpf& bpf, const ProbePoint& point, const std::string& path,
                  uint64_t cookie, Mechanism mechanism) {
  bpf_program* program = program_of(bpf, point.program);
  const bool is_ret = is_return(point.program);
  if (mechanism == Mechanism::UprobeMulti) {
    unsigned long offset = point.offset;
    __u64 cookie_value = cookie;
    LIBBPF_OPTS(bpf_uprobe_multi_opts, multi);
    multi.offsets = &offset;
    multi.cookies = &cookie_value;
    multi.cnt = 1;
    multi.retprobe = is_ret;
    return Link(bpf_program__attach_uprobe_multi(program, -1, path.c_str(), nullptr, &multi));
  }
  LIBBPF_OPTS(bpf_uprobe_opts, single);
  single.bpf_cookie = cookie;
  single.retprobe = is_ret;
  return Link(bpf_program__attach_uprobe_opts(program, -1, path.c_str(), point.offset, &single));
}

Error not_attached(const ProbePoint& point, Mechanism mechanism, int error_number) {
  Error error = explain_failure(
      fmt::format("cannot probe {} at file offset {:#x} ({})", point.function.name.full,
                  point.offset, mechanism_name(mechanism)),
      error_number);
  if (mechanism == Mechanism::UprobeMulti && error_number == EINVAL)
    error.hint = "uprobe_multi needs Linux 6.6; --attach auto falls back to perf events";
  return error;
}

struct Links {
  std::vector<Link> entries;
  std::vector<Link> returns;
};

Result<Links> attach_all(const query_bpf& bpf, const std::vector<TracedBinary>& binaries,
                         Mechanism mechanism) {
  Links links;
  for (size_t i = 0; i < binaries.size(); ++i) {
    const std::string path = fmt::format("/proc/self/fd/{}", binaries[i].binary.get());
    for (const ProbePoint& point : binaries[i].plan.points) {
      Link link = attach_point(bpf, point, path, i, mechanism);
      if (!link) return tl::unexpected(not_attached(point, mechanism, errno));
      (is_return(point.program) ? links.returns : links.entries).push_back(std::move(link));
    }
  }
  return links;
}

// At each probe that it removes, the kernel waits until no thread can be in it:
// seconds, on a busy machine. Removed together they share one wait.
void remove_together(std::vector<Link>& links) {
  std::vector<std::thread> removals;
  for (Link& link : links) {
    try {
      removals.emplace_back([&link] { link.reset(); });
    } catch (const std::system_error&) {
      link.reset();  // there is no thread to be had
    }
  }
  for (std::thread& removal : removals) removal.join();
  links.clear();
}

// One call of drain().
struct Batch {
  const EventHandler* handler = nullptr;
  int left = 0;
};

int on_event(void* context, void* data, size_t size) {
  auto& batch = *static_cast<Batch*>(context);
  (*batch.handler)({static_cast<const std::byte*>(data), size});
  // An error ends the consumption; this event counts as consumed all the same.
  return --batch.left > 0 ? 0 : -ECANCELED;
}

}  // namespace

std::string_view mechanism_name(Mechanism mechanism) {
  switch (mechanism) {
    case Mechanism::UprobeMulti:
      return "uprobe_multi";
    case Mechanism::PerfEvent:
      return "perf event";
    case Mechanism::Auto:
      break;
  }
  return "auto";
}

struct Tracer::Impl {
  Mechanism mechanism = Mechanism::Auto;
  Skeleton skeleton;
  Batch batch;  // must outlive the ring, which points at it
  Ring ring;
  Links links;
};

Tracer::Tracer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Tracer::Tracer(Tracer&&) noexcept = default;
Tracer& Tracer::operator=(Tracer&&) noexcept = default;
Tracer::~Tracer() = default;

Result<Tracer> Tracer::attach(const std::vector<TracedBinary>& binaries,
                              const TracerOptions& options) {
  libbpf_set_print(print_libbpf);
  auto impl = std::make_unique<Impl>();

  std::vector<Mechanism> candidates{options.mechanism};
  if (options.mechanism == Mechanism::Auto)
    candidates = {Mechanism::UprobeMulti, Mechanism::PerfEvent};
  Error failure;
  for (const Mechanism mechanism : candidates) {
    auto skeleton = load(binaries, options, mechanism);
    if (!skeleton) return tl::unexpected(skeleton.error());
    impl->skeleton = std::move(*skeleton);
    // The ring must be there before the first probe fires.
    impl->ring = Ring(ring_buffer__new(bpf_map__fd(impl->skeleton.get()->maps.ring), on_event,
                                       &impl->batch, nullptr));
    if (!impl->ring) return tl::unexpected(explain_failure("cannot open the ring buffer", errno));
    auto links = attach_all(*impl->skeleton.get(), binaries, mechanism);
    if (links) {
      impl->mechanism = mechanism;
      impl->links = std::move(*links);
      impl->skeleton.get()->bss->tracing = 1;
      return Tracer(std::move(impl));
    }
    if (failure.message.empty()) failure = links.error();
    impl->ring.reset();
  }
  return tl::unexpected(failure);
}

Mechanism Tracer::mechanism() const { return impl_->mechanism; }

int Tracer::ring_fd() const { return ring_buffer__epoll_fd(impl_->ring.get()); }

bool Tracer::drain(const EventHandler& handler) {
  constexpr int kBatchEvents = 8192;
  impl_->batch = {&handler, kBatchEvents};
  return ring_buffer__consume(impl_->ring.get()) == -ECANCELED;
}

Counters Tracer::counters() const {
  Counters sums{};
  const int cpus = libbpf_num_possible_cpus();
  if (cpus <= 0) return sums;
  std::vector<uint64_t> per_cpu(static_cast<size_t>(cpus));
  for (uint32_t i = 0; i < sums.size(); ++i) {
    if (bpf_map__lookup_elem(impl_->skeleton.get()->maps.counters, &i, sizeof(i), per_cpu.data(),
                             per_cpu.size() * sizeof(uint64_t), 0) == 0)
      for (const uint64_t value : per_cpu) sums[i] += value;
  }
  return sums;
}

void Tracer::detach() {
  impl_->skeleton.get()->bss->tracing = 0;
  remove_together(impl_->links.entries);
  // Meanwhile most commands that were running have come to their end.
  remove_together(impl_->links.returns);
}

}  // namespace dbtrace::attach
