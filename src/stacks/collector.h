// Stacks wait here for the end of their command, which may turn out not to be slow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "src/model/budget.h"
#include "src/stacks/capture.h"
#include "src/stacks/unwinder.h"

namespace dbtrace::stacks {

struct CollectorOptions {
  uint64_t sample_ns = 0;           // from one sample of a core to the next
  size_t memory_limit = 64U << 20;  // of what waits, in bytes, about
};

// One stack of a command, as addresses. Innermost first.
struct AddressStack {
  std::vector<uint64_t> kernel;
  Unwound user;
  model::Cause cause = model::Cause::OnCpu;
  friend bool operator==(const AddressStack&, const AddressStack&) = default;
};

// When a command was seen there, and what that stands for.
struct Moment {
  size_t stack = 0;      // in CommandStacks::stacks
  uint64_t time_ns = 0;  // when, since the command began; of several, the first
  uint64_t ns = 0;       // the time between two samples, or how long it waited
  uint64_t count = 1;    // samples or waits that are summed up in it
};

struct CommandStacks {
  std::vector<AddressStack> stacks;  // each once
  std::vector<Moment> moments;       // in the order of time
};

// Not thread-safe. `unwinder` must outlive it.
class Collector {
 public:
  // Beyond this many, moments of one command with the same stack are summed up.
  static constexpr size_t kMomentsMax = 20'000;

  Collector(Unwinder& unwinder, CollectorOptions options);

  void take(const Capture& capture);
  void take(const WaitEnd& end);

  // The stacks of a command, up to `until_ns` (CLOCK_MONOTONIC), which waits that last go on
  // to. With `ended` it is forgotten.
  [[nodiscard]] CommandStacks of(CommandKey command, uint64_t until_ns, bool ended);
  // Now and then: forgets commands that must have ended fast, as nobody asked for them.
  void forget_fast(uint64_t now_ns);

  // Stacks that were forgotten for want of memory.
  [[nodiscard]] uint64_t dropped() const { return dropped_; }
  [[nodiscard]] size_t memory() const { return memory_; }

 private:
  // A wait that has not ended, as far as is known.
  struct Wait {
    size_t stack = 0;
    uint64_t since_ns = 0;  // 0: there is none
    uint64_t seen_ns = 0;   // when its stack had been copied
  };
  struct Command {
    CommandStacks found;
    std::unordered_multimap<size_t, size_t> by_hash;  // of found.stacks
    std::unordered_map<size_t, size_t> sums;  // by stack, of found.moments: when there are many
    Wait wait;
    uint32_t tid = 0;      // the thread that it was seen on last
    uint64_t last_ns = 0;  // when something was heard of it
    size_t memory = 0;
  };
  using Commands = std::map<CommandKey, Command>;

  void grow(Command& command, size_t bytes);
  size_t stack_of(Command& command, const Capture& capture);
  void add_moment(Command& command, const Moment& moment);
  void erase(Commands::iterator command);
  void make_room(const CommandKey& spared);

  Unwinder& unwinder_;
  CollectorOptions options_;
  Commands commands_;
  size_t memory_ = 0;
  std::unordered_map<uint32_t, uint64_t> latest_;  // when the latest command of a thread began
  uint64_t dropped_ = 0;
};

}  // namespace dbtrace::stacks
