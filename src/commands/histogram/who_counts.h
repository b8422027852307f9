// Whether the kernel or dbtrace adds queries up.
#pragma once

#include <cstdint>
#include <optional>

#include "src/commands/histogram/histogram.h"
#include "symbols/result.h"

namespace dbtrace::commands {

// What makes a kind, for the kernel (attach::TracerOptions::kinds); nothing: dbtrace counts itself.
// Errors: the kernel is asked for what it cannot do.
[[nodiscard]] Result<std::optional<uint32_t>> who_counts(const HistogramOptions& options);

}  // namespace dbtrace::commands
