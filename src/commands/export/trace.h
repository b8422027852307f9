// A recording as a trace of Perfetto's.
#pragma once

#include <memory>

#include "src/commands/queries/queries.h"
#include "src/commands/replay/replay.h"
#include "src/model/filter.h"
#include "src/output/sink.h"
#include "symbols/result.h"

namespace dbtrace::commands {

struct Trace {
  std::unique_ptr<output::Sink> sink;
  uint64_t queries;  // that it is of, and no more
};

// Reads all of the recording at options.from, as a trace is told in another order. `replay`: the
// same, whose queries are to be written.
[[nodiscard]] Result<Trace> make_trace(const Replay& replay, const QueriesOptions& options,
                                       const model::Filter& filter);

}  // namespace dbtrace::commands
