// The queries of a recording in the place of those that come live.
#pragma once

#include "src/commands/queries/queries.h"
#include "src/commands/queries/query_view.h"
#include "src/commands/replay/replay.h"
#include "src/output/writer.h"

namespace dbtrace::commands {

// Shows those that are asked for, and concludes. `writer`: the view's. Returns the exit code.
[[nodiscard]] int show_recorded(Replay& replay, const QueriesOptions& options, QueryView& view,
                                const output::Writer& writer);

}  // namespace dbtrace::commands
