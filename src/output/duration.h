// A duration for a person: "123ns", "4.5µs", "67ms", "8.9s", "12m05s", "3h04m".
#pragma once

#include <cstdint>
#include <string>

namespace dbtrace::output {

// At most six columns (below 1,000 hours). Rounded to two digits, or to whole ones of a unit:
// 999.99 ms is "1.0s".
void append_duration(std::string& out, uint64_t nanoseconds);

}  // namespace dbtrace::output
