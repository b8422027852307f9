// A recording as what a report tells of.
#pragma once

#include "src/commands/replay/replay.h"
#include "src/report/about.h"
#include "src/report/collector.h"
#include "symbols/result.h"

namespace dbtrace::commands {

// Errors: as recording::Reader has them.
[[nodiscard]] Result<report::About> about(Replay& replay);

// Those that `dbtrace histogram --from` counts, by the recording's own time.
[[nodiscard]] Result<void> gather(Replay& replay, report::Collector& collector);

}  // namespace dbtrace::commands
