// Waits for the successors of servers that have ended, and for the new files of
// those that were replaced.
#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <vector>

#include "src/target/server.h"
#include "src/target/succession.h"
#include "symbols/result.h"

namespace dbtrace::commands {

class Follower {
 public:
  // `processes`: whether the successors of processes are wanted; replaced files
  // are always looked for.
  explicit Follower(bool processes) : processes_(processes) {}

  // This server is traced now.
  void attached(const target::Server& server);
  // Whether there will be a look-out for its successor.
  bool ended(uint32_t pid);
  // A server came that cannot be traced: the next one in its place may.
  void refused(const target::Server& server) {
    if (!server.pid) return;
    attached(server);
    ended(server.pid);
  }

  // Servers that came since the last call; what could not be looked at is an
  // error, said once. Looks once a second at most, and only when something is
  // awaited.
  [[nodiscard]] std::vector<Result<target::Server>> arrivals();

 private:
  struct Process {
    uint32_t pid;
    target::Succession succession;
    bool ended = false;
  };
  bool processes_;
  std::list<Process> followed_;
  std::list<target::FileWatch> files_;
  std::chrono::steady_clock::time_point next_look_{};
};

}  // namespace dbtrace::commands
