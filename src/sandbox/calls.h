// The system calls of a run, as data.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/sandbox/needs.h"

namespace dbtrace::sandbox {

// (argument & mask) == value
struct Argument {
  unsigned index;
  uint64_t mask;
  uint64_t value;
};

struct AllowedCall {
  int number;                    // a negative one: this processor does not have the call
  std::optional<Argument> when;  // absent: always
};

// One call may be in it several times: any of them allows it.
[[nodiscard]] std::vector<AllowedCall> allowed_calls(const Needs& needs);

}  // namespace dbtrace::sandbox
