// A number and what it counts, for a person: "1 query", "2 queries".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dbtrace::output {

[[nodiscard]] std::string counted(uint64_t count, std::string_view one, std::string_view many);
// Of words that only get an "s".
[[nodiscard]] std::string counted(uint64_t count, std::string_view one);

}  // namespace dbtrace::output
