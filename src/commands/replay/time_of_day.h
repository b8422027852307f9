// Times of a recording as people type them.
#pragma once

#include <cstdint>
#include <string>

#include "src/recording/reader.h"
#include "symbols/result.h"

namespace dbtrace::commands {

// "22:45:59" or "22:45" (the first one since its begin, of local time), "2026-11-30 22:45:59", or
// "5m" after its begin. Since the Unix epoch. Errors: no time; not within the recording.
[[nodiscard]] Result<uint64_t> time_within(const recording::Reader& reader,
                                           const std::string& text);

}  // namespace dbtrace::commands
