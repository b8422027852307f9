// A gap in what is shown.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace dbtrace::output {

// Commands of which nothing else is known. Times in nanoseconds since the Unix epoch.
struct Lost {
  uint64_t from_ns = 0, until_ns = 0;
  // How many in each class of losses; none is zero. Names are static storage.
  std::vector<std::pair<std::string_view, uint64_t>> classes = {};

  [[nodiscard]] uint64_t count() const {
    uint64_t all = 0;
    for (const auto& [name, count] : classes) all += count;
    return all;
  }
};

}  // namespace dbtrace::output
