// Recordings by kind, for `dbtrace histogram --from` and `dbtrace diff`.
#pragma once

#include "src/commands/histogram/histogram.h"
#include "src/commands/histogram/kind_view.h"
#include "src/commands/replay/replay.h"
#include "src/recording/reader.h"
#include "symbols/result.h"

namespace dbtrace::commands {

// Whether the recording has what `options` ask for.
[[nodiscard]] Result<void> can_count(const recording::Reader& reader,
                                     const HistogramOptions& options);

[[nodiscard]] HistogramLosses losses_of(const Replay& replay);

// Feeds `view` with all of it; intervals go by the recording's own time.
[[nodiscard]] Result<void> count(Replay& replay, const HistogramOptions& options, KindView& view);

}  // namespace dbtrace::commands
