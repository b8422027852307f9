// Checks of what was typed behind an option. A refusal says what would do.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "symbols/result.h"

namespace dbtrace::commands {

// For ->check(): a whole number from `least` to `most`.
[[nodiscard]] CLI::Validator whole_number(uint64_t least, uint64_t most);

// For ->transform(): a duration or size as units.h reads it, within limits.
[[nodiscard]] CLI::Validator quantity(Result<uint64_t> (*parse)(const std::string&), uint64_t least,
                                      uint64_t most);

// For ->transform(): one of a few words (in any case), each of which stands for
// a value. They are the validator's name, "text, json", for who wants to list them.
template <typename Value>
[[nodiscard]] CLI::Validator one_of(std::vector<std::pair<std::string, Value>> words) {
  std::string all;
  for (const auto& [word, value] : words) all += (all.empty() ? "" : ", ") + word;
  return {[words = std::move(words), all](std::string& text) {
            for (const auto& [word, value] : words) {
              if (CLI::detail::to_lower(text) == word) {
                text = fmt::format("{}", static_cast<int>(value));
                return std::string();
              }
            }
            return fmt::format("'{}' is none of {}", text, all);
          },
          "", all};
}

}  // namespace dbtrace::commands
