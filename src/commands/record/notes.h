// What a recording says of the run that it is of, besides queries.
#pragma once

#include <cstdint>
#include <set>

#include "src/commands/record/recorder.h"
#include "src/commands/tracing/session.h"
#include "src/commands/tracing/summary.h"
#include "symbols/result.h"

namespace dbtrace::commands {

// Not thread-safe.
class RunNotes {
 public:
  explicit RunNotes(Recorder& recorder) : recorder_(recorder) {}

  // Servers that are new, what was lost since the last time, counts and costs so far.
  void note(const Session& session, const Tally& tally);

 private:
  void note_servers(const Session& session);
  void note_losses(const Tally& tally);
  void note_cost(const SelfCost& cost);

  Recorder& recorder_;
  std::set<uint32_t> servers_;
  Tally before_;
};

}  // namespace dbtrace::commands
