#include "src/stream/stack_events.h"

#include <algorithm>

#include "bpf/stack_event.h"
#include "src/stream/bytes.h"

namespace dbtrace::stream {
namespace {

constexpr size_t kHead = offsetof(dbt_stack_event, data);
static_assert(stacks::kStartNotKnown == DBT_ADOPTED_LONG_AGO);

// The register of each DWARF number by its place in what the kernel saves. x86-64: struct
// pt_regs (arch/x86/include/asm/ptrace.h) and the psABI's figure 3.36; AArch64: struct
// user_pt_regs and DWARF for the Arm 64-bit Architecture, where 32 and 33 stand for others.
#if defined(__aarch64__)
constexpr std::array<uint8_t, 33> kPlaces = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                             11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                             22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};
#else
constexpr std::array<uint8_t, 17> kPlaces = {10, 12, 11, 5, 13, 14, 4, 19, 9,
                                             8,  7,  6,  3, 2,  1,  0, 16};
#endif

std::optional<StackEvent> decode_stack(std::span<const std::byte> bytes) {
  if (bytes.size() < kHead || bytes.size() > sizeof(dbt_stack_event)) return std::nullopt;
  const auto event = copy_head<dbt_stack_event>(bytes, kHead);
  if (event.stack_size > bytes.size() - kHead || event.kernel_frames > DBT_KERNEL_FRAMES_MAX ||
      event.pending_returns > DBT_PENDING_RETURNS_MAX || event.cause >= model::kCauses)
    return std::nullopt;
  stacks::Capture capture;
  capture.command = {event.tgid, event.command_start_ns};
  capture.tid = event.tid;
  capture.time_ns = event.time_ns;
  capture.wait_since_ns = event.wait_since_ns;
  capture.cause = static_cast<model::Cause>(event.cause);
  for (size_t i = 0; i < kPlaces.size(); ++i) capture.registers[i] = event.registers[kPlaces[i]];
  for (size_t i = 0; i < event.pending_returns; ++i)
    capture.pending_returns.push_back({event.returns[i].stack, event.returns[i].address});
  capture.kernel.assign(event.kernel, event.kernel + event.kernel_frames);
  const auto stack = bytes.subspan(kHead, event.stack_size);
  capture.bytes.assign(stack.begin(), stack.end());
  return capture;
}

}  // namespace

std::optional<StackEvent> decode_stack_event(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(dbt_event_header)) return std::nullopt;
  const auto header = copy_head<dbt_event_header>(bytes);
  if (header.kind == DBT_EVENT_STACK) return decode_stack(bytes);
  if (header.kind != DBT_EVENT_WAIT || bytes.size() < sizeof(dbt_wait_event)) return std::nullopt;
  const auto event = copy_head<dbt_wait_event>(bytes);
  return stacks::WaitEnd{{event.tgid, event.command_start_ns}, event.wait_since_ns, event.end_ns};
}

}  // namespace dbtrace::stream
