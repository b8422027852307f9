// A thread's stack as it was copied, before it is known what it says. Plain values; times in
// nanoseconds of CLOCK_MONOTONIC.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/model/budget.h"
#include "src/stacks/unwinder.h"

namespace dbtrace::stacks {

// CommandKey::start_ns of what began before anybody looked (DBT_ADOPTED_LONG_AGO).
inline constexpr uint64_t kStartNotKnown = 1;

// Which command. Two that a process begins in the same nanosecond are taken for one.
struct CommandKey {
  uint32_t pid = 0;
  uint64_t start_ns = 0;
  friend auto operator<=>(const CommandKey&, const CommandKey&) = default;
};

struct Capture {
  CommandKey command;
  uint32_t tid = 0;
  uint64_t time_ns = 0;        // when all of it had been copied
  uint64_t wait_since_ns = 0;  // when the thread began to wait; 0: it ran
  model::Cause cause = model::Cause::OnCpu;
  std::array<uint64_t, 33> registers{};  // as in UserStack
  std::vector<PendingReturn> pending_returns;
  std::vector<uint64_t> kernel;  // innermost first
  std::vector<std::byte> bytes;  // as in UserStack
};

// A wait whose stack was captured is over.
struct WaitEnd {
  CommandKey command;
  uint64_t wait_since_ns = 0;
  uint64_t end_ns = 0;
};

}  // namespace dbtrace::stacks
