// Whether what dbtrace tells of the canary is what its client knows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/commands/doctor/check.h"
#include "src/model/query.h"

namespace dbtrace::commands {

// What the client knows. Times in nanoseconds.
struct Sung {
  std::string text;
  std::string connection_id;
  std::string user;
  uint64_t rows = 0;
  uint64_t asked_ns = 0;  // of the server: to sleep
  uint64_t took_ns = 0;   // until that and another answer were there
  bool budget = true;     // it was asked for
};

// `heard`: what dbtrace told of it, if it did.
[[nodiscard]] std::vector<Check> canary_checks(const Sung& sung,
                                               const std::optional<model::Query>& heard);

}  // namespace dbtrace::commands
