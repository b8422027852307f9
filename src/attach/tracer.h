// The query log's end of libbpf: loads the BPF programs, attaches a plan's probes
// to running servers, hands on the events, and takes everything away.
//
// Nothing is pinned: when the process ends, however it ends, the kernel removes
// every probe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bpf/event.h"
#include "src/attach/feature.h"
#include "src/attach/file_hook.h"
#include "src/attach/kind_counts.h"
#include "src/attach/mechanism.h"
#include "src/attach/plan.h"
#include "src/attach/run_cost.h"
#include "src/attach/stack_options.h"
#include "src/model/wait_sums.h"
#include "symbols/result.h"
#include "symbols/unique.h"

namespace dbtrace::attach {

struct TracerOptions {
  uint32_t ring_bytes = 8 * 1024 * 1024;  // a power of two, at least a page
  uint32_t max_text = DBT_TEXT_INLINE;    // bytes of text to copy, up to DBT_TEXT_MAX
  uint32_t long_texts = 64;               // texts beyond DBT_TEXT_INLINE that may be in flight
  // Of the kernel's tables: suspended commands, asynchronous operations in flight, kinds (beyond
  // them commands are sent), sessions and files that user space knows.
  uint32_t table_entries = 16'384;
  uint64_t slower_than_ns = 0;
  uint64_t only_connection = 0;  // 0: all
  bool statements = false;       // the plans have probes for statements
  bool running = false;          // running() will be called
  uint64_t running_for_ns = 0;   // running() leaves out commands that are younger
  bool budget = false;           // send each command's budget before it
  bool waits = false;            // sum the time of all queries up by cause (DBT_COUNT_SUMMED)
  // Send each operation on a file…, and of the commands those alone that did some.
  bool operations = false;
  uint64_t operations_slower_than_ns = 0;  // …that takes at least this long
  bool all_commands = false;               // with `operations`: those that did none, too
  // Count by kind in the kernel, and send only examples: a mask of DBT_KIND_BY_*. Needs
  // kernel_counts_kinds(). What cannot be told apart there is sent as ever.
  std::optional<uint32_t> kinds;
  uint64_t examples_slower_than_ns = 0;  // …and all that took at least this long; 0: not
  // Operations of all threads of the binaries' processes, not only in commands: for the
  // first DBT_FILES_OF_MAX binaries, where they have a pid.
  bool files_of_all_threads = false;
  // Take stacks; only together with `budget`.
  std::optional<StackOptions> stacks;
  FileHook file_hook = FileHook::None;  // how operations on files are seen; not Auto
  Mechanism mechanism = Mechanism::Auto;
};

// One binary to probe. `binary` is the open file that the plan was made from:
// probes go into that very file, whatever its path means by now.
struct TracedBinary {
  UniqueFd binary;
  uint32_t pid = 0;  // 0: every process that runs it
  Plan plan;
};

using Counters = std::array<uint64_t, DBT_COUNTERS>;
using EventHandler = std::function<void(std::span<const std::byte>)>;

// Not thread-safe. Events refer to binaries by their index.
class Tracer {
 public:
  // `binaries` must outlive the tracer.
  // Attaches all probes of all binaries, or none. Errors say what the kernel
  // or the user's rights lack.
  [[nodiscard]] static Result<Tracer> attach(const std::vector<TracedBinary>& binaries,
                                             const TracerOptions& options);
  // What attach() does before it attaches anything: the kernel checks the programs.
  [[nodiscard]] static Result<void> rehearse(const std::vector<TracedBinary>& binaries,
                                             const TracerOptions& options);
  Tracer(Tracer&&) noexcept;
  Tracer& operator=(Tracer&&) noexcept;
  ~Tracer();

  // Which mechanism is in use.
  [[nodiscard]] Mechanism mechanism() const;
  // Becomes readable when much data waits. Little data does not wake anyone:
  // poll at least every kPollMilliseconds.
  static constexpr int kPollMilliseconds = 100;
  [[nodiscard]] int ring_fd() const;
  // Hands waiting events to `handler`: all of them, or as many as keep the caller
  // busy for some milliseconds. True: there are more.
  [[nodiscard]] bool drain(const EventHandler& handler);
  // Hands every command that runs at this moment to `handler`, as an event with
  // DBT_IS_RUNNING; those that began before attaching, too, as far as the server's
  // memory tells of them. Looks at all threads of the machine: not for every
  // millisecond.
  [[nodiscard]] Result<void> running(const EventHandler& handler);
  [[nodiscard]] Result<Counters> counters() const;
  // What a server, told by its binary's index, calls the wait event of a number.
  using EventNames = std::function<model::WaitEvent(uint32_t binary, uint32_t number)>;
  // What all queries together have spent their time with so far, those that run
  // included: of commands that carry text and that a client waits for. Only with
  // TracerOptions::waits. Looks at all threads of the machine.
  [[nodiscard]] Result<model::WaitSums> wait_sums(const EventNames& names) const;
  // What was counted by kind so far. Only with TracerOptions::kinds.
  [[nodiscard]] Result<KindSums> kind_sums() const;
  // Hands waiting stacks and ends of waits (bpf/stack_event.h) to `handler`: like drain().
  // What drain() hands on of a command comes after all of its stacks that this has handed
  // on by then. Only with TracerOptions::stacks.
  [[nodiscard]] bool drain_stacks(const EventHandler& handler);
  // Hands on the stacks of threads that wait, as far as they were not told of. Their memory is
  // read while they do; time_ns is when that was done, and a wait that ended before is not
  // the stack's. Looks at all threads of the machine. Only with TracerOptions::stacks.
  [[nodiscard]] Result<void> look_at_waits(const EventHandler& handler);
  // What the programs have cost so far, as far as the kernel counted (RunCounting).
  [[nodiscard]] Result<RunCost> run_cost() const;
  // From now on nothing is told of this, and it costs nothing any more. What a command had of it
  // until now is not told of, either. Sums by kind or cause stand still.
  void shed(Feature feature);
  // Removes the probes; events already sent can still be drained. Commands that
  // run on for longer than this takes are not told of any more: moments, or
  // seconds when the machine is overloaded.
  void detach();

 private:
  struct Impl;
  explicit Tracer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dbtrace::attach
