// A duration for a person: "123ns", "4.5µs", "67ms", "8.9s", "12m05s", "3h04m".
#pragma once

#include <cstdint>
#include <string>

namespace dbtrace::output {

// At most six columns (below 1,000 hours); digits beyond are dropped, not rounded, so that
// 999.99 ms never reads as a second.
void append_duration(std::string& out, uint64_t nanoseconds);

}  // namespace dbtrace::output
