#include "src/attach/probes.h"

#include <bpf/bpf.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <thread>

#include "src/attach/apart.h"
#include "src/attach/preflight.h"

namespace dbtrace::attach {
namespace {

// The inode number of the initial pid namespace: PROC_PID_INIT_INO in the
// kernel's include/linux/proc_ns.h.
constexpr uint64_t kInitialPidNamespace = 0xEFFFFFFC;

// The kernel's own "not supported" (include/linux/errno.h), which leaks out of
// the uprobes of instructions that it cannot step over.
constexpr int kNotSupported = 524;

// Threads that wait at once; each costs a stack and little else.
constexpr size_t kMostRemovals = 64;

int print_libbpf(libbpf_print_level, const char* format, va_list arguments) {
  static const bool wanted = std::getenv("DBTRACE_DEBUG") != nullptr;
  return wanted ? std::vfprintf(stderr, format, arguments) : 0;
}

// uprobe_multi took its process for one thread until "bpf: fix multi-uprobe PID
// filtering logic" in Linux 6.10; that some older releases have the fix too is
// not worth a guess. The release is what the kernel says; one that cannot be
// read counts as old.
bool multi_tells_processes() {
  utsname name{};
  int major = 0, minor = 0;
  if (::uname(&name) != 0 || std::sscanf(name.release, "%d.%d", &major, &minor) != 2) return false;
  return major > 6 || (major == 6 && minor >= 10);
}

bool is_about_the_place(int error_number) {
  return error_number == kNotSupported || error_number == EOPNOTSUPP || error_number == ENOEXEC;
}

class Attachment {
 public:
  Attachment(const bpf_program* program, const ProbedFile& file, bool at_return)
      : program_(program),
        path_(fmt::format("/proc/self/fd/{}", file.fd)),
        pid_(file.pid != 0 && multi_tells_processes() ? static_cast<pid_t>(file.pid) : -1),
        at_return_(at_return) {}

  // One link for all. Where the kernel refuses some, halves are tried, until
  // what is refused stands alone.
  void attach_together(std::span<const Probe> probes) {
    if (probes.empty() || result.error) return;
    if (take(multi(probes), probes)) return;
    const auto half = probes.size() / 2;
    attach_together(probes.first(half));
    attach_together(probes.subspan(half));
  }

  void attach_each(std::span<const Probe> probes) {
    for (const Probe& probe : probes) {
      if (result.error) return;
      take(single(probe), {&probe, 1});
    }
  }

  Attached result;

 private:
  // Whether that was all there is to do: attached, failed, or refused.
  bool take(Link link, std::span<const Probe> probes) {
    const int error = errno;
    if (link)
      result.links.push_back(std::move(link));
    else if (!is_about_the_place(error))
      result.error = error;
    else if (probes.size() == 1)
      result.refused.push_back(probes.front());
    else
      return false;
    return true;
  }

  Link multi(std::span<const Probe> probes) const {
    std::vector<unsigned long> offsets;
    std::vector<__u64> cookies;
    for (const Probe& probe : probes) {
      offsets.push_back(probe.offset);
      cookies.push_back(probe.cookie);
    }
    LIBBPF_OPTS(bpf_uprobe_multi_opts, options);
    options.offsets = offsets.data();
    options.cookies = cookies.data();
    options.cnt = probes.size();
    options.retprobe = at_return_;
    return Link(bpf_program__attach_uprobe_multi(program_, pid_, path_.c_str(), nullptr, &options));
  }

  // Every process: a perf event of one process would be of one thread.
  Link single(const Probe& probe) const {
    LIBBPF_OPTS(bpf_uprobe_opts, options);
    options.bpf_cookie = probe.cookie;
    options.retprobe = at_return_;
    return Link(
        bpf_program__attach_uprobe_opts(program_, -1, path_.c_str(), probe.offset, &options));
  }

  const bpf_program* program_;
  std::string path_;
  pid_t pid_;
  bool at_return_;
};

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

std::vector<Mechanism> candidates(Mechanism wanted) {
  if (wanted == Mechanism::Auto) return {Mechanism::UprobeMulti, Mechanism::PerfEvent};
  return {wanted};
}

void prepare_libbpf() {
  libbpf_set_print(print_libbpf);
  // It opens a file for that once, and at the end there may be no descriptor left.
  (void)libbpf_num_possible_cpus();
}

void set_attach_types(bpf_object* object, Mechanism mechanism) {
  if (mechanism != Mechanism::PerfEvent) return;
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object) {
    // Those of tracepoints and kernel functions have attach types that they keep.
    if (bpf_program__type(program) == BPF_PROG_TYPE_KPROBE)
      bpf_program__set_expected_attach_type(program, static_cast<bpf_attach_type>(0));
  }
}

PidNamespace own_pid_namespace() {
  struct stat status {};
  if (::stat("/proc/self/ns/pid", &status) != 0 || status.st_ino == kInitialPidNamespace) return {};
  return {status.st_dev, status.st_ino};
}

Result<std::vector<uint64_t>> sum_counters(const bpf_map* map, size_t count) {
  constexpr std::string_view kFailure = "cannot read the counters of the kernel";
  std::vector<uint64_t> sums(count);
  const int cpus = libbpf_num_possible_cpus();
  if (cpus <= 0) return tl::unexpected(explain_failure(std::string(kFailure), -cpus));
  // All at once: thousands of calls take so long on a busy machine that the first sums are old
  // when the last are read.
  const size_t width = static_cast<size_t>(cpus);
  std::vector<uint64_t> per_cpu(count * width);
  std::vector<uint32_t> keys(count);
  uint32_t next = 0;
  auto read = static_cast<uint32_t>(count);
  // The end of the map counts as ENOENT.
  if (bpf_map_lookup_batch(bpf_map__fd(map), nullptr, &next, keys.data(), per_cpu.data(), &read,
                           nullptr) != 0 &&
      errno != ENOENT)
    return tl::unexpected(explain_failure(std::string(kFailure), errno));
  if (read != count) return fail(fmt::format("{}: {} of {} were told", kFailure, read, count));
  for (size_t at = 0; at < read; ++at)
    for (size_t cpu = 0; cpu < width; ++cpu) sums[keys[at]] += per_cpu[at * width + cpu];
  return sums;
}

Attached attach_probes(const bpf_program* program, const ProbedFile& file,
                       std::span<const Probe> probes, bool at_return, Mechanism mechanism) {
  Attachment attachment(program, file, at_return);
  run_apart([&] {
    if (mechanism == Mechanism::UprobeMulti)
      attachment.attach_together(probes);
    else
      attachment.attach_each(probes);
  });
  Attached& result = attachment.result;
  if (result.error) remove_together(result.links);
  return std::move(result);
}

Error not_attached(const std::string& place, Mechanism mechanism, int error_number) {
  Error error = explain_failure(
      fmt::format("cannot probe {} ({})", place, mechanism_name(mechanism)), error_number);
  if (mechanism == Mechanism::UprobeMulti && error_number == EINVAL)
    error.hint = "uprobe_multi needs Linux 6.6; --attach auto falls back to perf events";
  return error;
}

void remove_together(std::vector<Link>& links) {
  std::vector<std::thread> removals;
  const auto join = [&removals] {
    for (std::thread& removal : removals) removal.join();
    removals.clear();
  };
  for (Link& link : links) {
    if (removals.size() == kMostRemovals) join();
    try {
      removals.emplace_back([&link] { link.reset(); });
    } catch (const std::system_error&) {
      link.reset();  // there is no thread to be had
    }
  }
  join();
  links.clear();
}

}  // namespace dbtrace::attach
