// A count for a person, in few columns.
#pragma once

#include <cstdint>
#include <string>

namespace dbtrace::output {

// Up to six columns: "123456", "1.23M", "45.6G"; three digits beyond 999,999.
[[nodiscard]] std::string short_number(uint64_t value);

}  // namespace dbtrace::output
