// Files without a name, for those who want a descriptor of bytes in memory.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "symbols/result.h"
#include "symbols/unique.h"

namespace dbtrace::symbols {

// A new file that holds `bytes`. `name` is what /proc shows. The error's message
// fits behind a colon.
[[nodiscard]] Result<UniqueFd> memory_file(const std::string& name, std::span<const uint8_t> bytes);

}  // namespace dbtrace::symbols
