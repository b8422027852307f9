// What a recording says of the run that it is of, besides queries.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>

#include "src/commands/record/recorder.h"
#include "src/commands/tracing/session.h"
#include "src/commands/tracing/summary.h"
#include "symbols/result.h"

namespace dbtrace::commands {

// What became of single operations on files that were told of.
struct OperationTally {
  uint64_t recorded = 0;
  uint64_t above_rate = 0;   // more than were wanted in a second
  uint64_t not_written = 0;  // came faster than the file could be written
  uint64_t surplus = 0;      // after the end
};

// Not thread-safe.
class RunNotes {
 public:
  explicit RunNotes(Recorder& recorder) : recorder_(recorder) {}

  // Servers that are new, what was lost since the last time, counts and costs so far.
  void note(const Session& session, const Tally& tally);
  // The same of single operations, where they are asked for.
  void note(const attach::Counters& counters, const OperationTally& tally);

 private:
  void note_servers(const Session& session);
  void note_losses(const Tally& tally);
  void note(std::string_view name, uint64_t value, uint64_t& before);
  void note_cost(const SelfCost& cost);

  Recorder& recorder_;
  std::set<uint32_t> servers_;
  Tally before_;
  uint64_t operations_lost_ = 0;
  OperationTally operations_before_;
};

}  // namespace dbtrace::commands
