// Durations and sizes as people type them.
#pragma once

#include <cstdint>
#include <string>

#include "symbols/result.h"

namespace dbtrace::commands {

// "10ms", "1.5s", "200us", "2m", "1h" → nanoseconds. A number without a unit is
// an error: nobody should have to guess.
[[nodiscard]] Result<uint64_t> parse_duration(const std::string& text);

// "4096", "64k", "8M", "1G" (powers of 1024) → bytes.
[[nodiscard]] Result<uint64_t> parse_size(const std::string& text);

}  // namespace dbtrace::commands
