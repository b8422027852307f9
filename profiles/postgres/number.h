// Numbers as the server writes them in names of files and in answers.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace dbtrace::profiles::postgres {

// The whole text is a number.
[[nodiscard]] inline std::optional<uint32_t> number_of(std::string_view text) {
  uint32_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

}  // namespace dbtrace::profiles::postgres
