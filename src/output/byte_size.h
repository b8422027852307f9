// A number of bytes for a person: "512", "16k", "1.5M", "2.0G" (powers of 1024).
#pragma once

#include <cstdint>
#include <string>

namespace dbtrace::output {

// At most five columns (below 1,000 T). Rounded down, so that it never reads like more.
void append_byte_size(std::string& out, uint64_t bytes);

}  // namespace dbtrace::output
