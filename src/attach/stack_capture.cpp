#include "src/attach/stack_capture.h"

#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "bpf/query_bpf.skel.h"
#include "src/attach/clock.h"
#include "src/attach/preflight.h"
#include "src/attach/timer.h"

namespace dbtrace::attach {
namespace {

constexpr size_t kHead = offsetof(dbt_stack_event, data);
constexpr size_t kPage = 4096;

// Where the stack pointer is among the registers (see DBT_REGISTERS_MAX).
#if defined(__aarch64__)
constexpr size_t kStackPointer = 31;
#else
constexpr size_t kStackPointer = 19;
#endif

// Reads another process's memory from `address` on, as much as there is. Page by page: what
// crosses the end of a mapping would not be read at all.
size_t read_memory(uint32_t pid, uint64_t address, std::byte* to, size_t most) {
  std::array<iovec, DBT_STACK_BYTES_MAX / kPage + 1> pages;
  size_t count = 0;
  for (uint64_t at = address; at < address + most && count < pages.size(); ++count) {
    const uint64_t end = std::min((at / kPage + 1) * kPage, address + most);
    pages[count] = {reinterpret_cast<void*>(at), end - at};
    at = end;
  }
  const iovec local{to, most};
  const ssize_t got =
      ::process_vm_readv(static_cast<pid_t>(pid), &local, 1, pages.data(), count, 0);
  return got < 0 ? 0 : static_cast<size_t>(got);
}

}  // namespace

void StackCapture::prepare(query_bpf& bpf, const std::optional<StackOptions>& options) {
  for (bpf_program* program : {bpf.progs.stack_on_core, bpf.progs.stacks_in_waits})
    bpf_program__set_autoload(program, options.has_value());
  if (!options) return;
  bpf.rodata->stacks_wanted = true;
  bpf.rodata->stacks_slow_ns = options->slow_ns;
  bpf.rodata->stacks_early_ns = options->early_ns;
  bpf.rodata->stacks_per_second = options->per_second;
  bpf_map__set_max_entries(bpf.maps.stack_ring, options->ring_bytes);
}

Result<StackCapture> StackCapture::open(const query_bpf& bpf) {
  StackCapture capture;
  auto ring = EventRing::open(bpf.maps.stack_ring);
  if (!ring) return tl::unexpected(ring.error());
  capture.ring_ = std::move(*ring);
  auto waits = TaskIterator::open(bpf.progs.stacks_in_waits);
  if (!waits) return tl::unexpected(waits.error());
  capture.waits_ = std::move(*waits);
  capture.buffer_.resize(sizeof(dbt_stack_event));
  return capture;
}

Result<std::vector<Link>> StackCapture::attach_timers(const query_bpf& bpf, uint32_t frequency) {
  std::vector<Link> links;
  const int cores = libbpf_num_possible_cpus();
  for (int core = 0; core < cores; ++core) {
    Link link = attach_timer(bpf.progs.stack_on_core, core, frequency);
    if (link)
      links.push_back(std::move(link));
    else if (errno != ENODEV)
      return tl::unexpected(explain_failure("cannot start a sampling timer", errno));
  }
  return links;
}

bool StackCapture::drain(const EventHandler& handler) { return ring_.drain(handler); }

Result<void> StackCapture::look(const EventHandler& handler) {
  const auto heads = waits_.read();
  if (!heads) return tl::unexpected(heads.error());
  dbt_stack_event head;
  for (size_t at = 0; at + kHead <= heads->size(); at += kHead) {
    std::memcpy(&head, heads->data() + at, kHead);
    head.stack_size = static_cast<dbt_u32>(read_memory(
        head.tgid, head.registers[kStackPointer], buffer_.data() + kHead, DBT_STACK_BYTES_MAX));
    head.time_ns = nanoseconds_of(CLOCK_MONOTONIC);
    head.header.size = static_cast<dbt_u32>(kHead + head.stack_size);
    std::memcpy(buffer_.data(), &head, kHead);
    handler({buffer_.data(), head.header.size});
  }
  return {};
}

}  // namespace dbtrace::attach
