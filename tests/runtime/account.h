// The summary that dbtrace prints at its end, as numbers.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace dbtrace::testing {

struct Account {
  uint64_t seen = 0;
  uint64_t shown = 0;
  uint64_t filtered = 0;
  uint64_t hidden = 0;
  uint64_t lost = 0;
  uint64_t surplus = 0;  // came when nothing was shown any more
  // "ring full" → 12, "read failed" → 3.
  std::map<std::string, uint64_t> classes;

  // 0 when it is not mentioned.
  [[nodiscard]] uint64_t class_named(const std::string& name) const {
    const auto found = classes.find(name);
    return found == classes.end() ? 0 : found->second;
  }

  // From everything on stderr. Throws std::runtime_error when there is no
  // summary.
  [[nodiscard]] static Account of(const std::string& errors);
};

}  // namespace dbtrace::testing
