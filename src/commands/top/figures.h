// Numbers as a table shows them: few columns, three or four digits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace dbtrace::commands::top {

// "0.50", "12.3", "3512", "123k": five columns at most, below a billion.
[[nodiscard]] std::string rate_text(double per_second);
// The same for whole numbers: "7", "3512", "123k".
[[nodiscard]] std::string count_text(uint64_t count);
// "4.2%", "100%".
[[nodiscard]] std::string share_text(uint64_t part, uint64_t whole);

// A character for each value, as high as the value is in relation to the greatest one.
// The lowest means none.
[[nodiscard]] std::string sparkline(std::span<const uint64_t> values);

}  // namespace dbtrace::commands::top
