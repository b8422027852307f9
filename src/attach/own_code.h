// Where dbtrace's own functions lie in its own file: what is tried and measured is tried on it.
#pragma once

#include <cstdint>
#include <optional>

namespace dbtrace::attach {

[[nodiscard]] std::optional<uint64_t> own_offset(void (*function)());

}  // namespace dbtrace::attach
