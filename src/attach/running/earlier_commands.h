// Commands that began before dbtrace attached: there is no record of them, but the
// server's memory tells of them. It is read, never written, and nothing is stopped.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bpf/event.h"
#include "src/attach/event_ring.h"
#include "src/attach/plan.h"

namespace dbtrace::attach {

struct TracedBinary;

// A session of a process: (pid, address).
using SessionOfProcess = std::pair<uint32_t, uint64_t>;

class EarlierCommands {
 public:
  EarlierCommands() = default;
  // Looks at what the threads of the traced processes are at work on now.
  // `binaries` must outlive it.
  EarlierCommands(const std::vector<TracedBinary>& binaries, std::span<const dbt_thread> threads,
                  uint32_t max_text);

  [[nodiscard]] bool empty() const { return commands_.empty(); }
  // Which threads they run on, by tid.
  [[nodiscard]] std::map<uint32_t, dbt_adopted> threads() const;
  // Hands those that still run, and are not among `recorded`, to `handler`: a session
  // event, then a command event with DBT_BEGAN_EARLIER. Forgets those that have
  // ended. Younger ones than `least_ns` are left out; one whose begin is not known
  // is at least as old as this object.
  void tell(uint64_t now_ns, uint64_t least_ns, const std::set<SessionOfProcess>& recorded,
            const EventHandler& handler);

 private:
  // What tells a command from the next one of the thread.
  struct Identity {
    uint64_t session = 0;
    uint64_t text = 0;
    uint64_t length = 0;
    uint64_t start_us = 0;  // wall clock; 0: not known
    friend bool operator==(const Identity&, const Identity&) = default;
  };
  // A thread, and where its session is to be found.
  struct Place {
    dbt_thread thread;
    const Plan* plan;
    std::optional<uint64_t> image;  // of a server whose sessions are processes
    [[nodiscard]] std::optional<uint64_t> session() const;
  };
  struct Command {
    Place place;
    Identity identity;
    dbt_session_event session;
    dbt_command_event event;
  };

  [[nodiscard]] static Identity look(const Place& place);
  [[nodiscard]] Command read(const Place& place, uint16_t index, const Identity& identity,
                             uint32_t max_text) const;
  [[nodiscard]] uint64_t monotonic_start(uint64_t start_us) const;

  uint64_t attached_ns_ = 0;  // CLOCK_MONOTONIC
  uint64_t wall_offset_ = 0;
  std::vector<Command> commands_;
};

}  // namespace dbtrace::attach
