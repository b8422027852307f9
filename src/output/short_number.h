// Numbers for a person, in few columns.
#pragma once

#include <cstdint>
#include <string>

namespace dbtrace::output {

// Up to six columns: "123456", "1.23M", "45.6G"; three digits beyond 999,999.
[[nodiscard]] std::string short_number(uint64_t value);

// Two digits, all of those before the point: "0.0012", "3.4"; what is nearly all is ">99".
[[nodiscard]] std::string short_percentage(double percent);

}  // namespace dbtrace::output
