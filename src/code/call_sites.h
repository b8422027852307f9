// Calls in the middle of code whose functions have no names: where they are, and what the
// code goes on with.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "src/code/trace.h"

namespace dbtrace::code {

// The addresses of all direct calls to `target` in `code`, which lies at `address` and may be
// a whole segment. Goes by the bytes alone: no instruction needs to begin at `address`, and a
// number that happens to look like such a call is taken for one.
[[nodiscard]] std::vector<uint64_t> direct_calls(Arch arch, std::span<const uint8_t> code,
                                                 uint64_t address, uint64_t target);

// Whether decoding from `from`, where an instruction begins, meets one that begins at `at`. Only
// there may a probe be: one inside an instruction would destroy it.
[[nodiscard]] bool meets(Arch arch, std::span<const uint8_t> code, uint64_t address, uint64_t from,
                         uint64_t at);

struct NextCall {
  uint64_t at = 0;  // of the call
  uint64_t target = 0;
  std::optional<uint64_t> argument;  // the constant (an address, perhaps) that is argument 0
};

// The first calls of one of `wanted` on all ways from `from` on; calls of others are passed.
// Both ways of a branch are followed, no way further than a jump whose target the code does not
// say, and altogether at most `most` instructions.
[[nodiscard]] std::vector<NextCall> next_calls(Arch arch, std::span<const uint8_t> code,
                                               uint64_t address, uint64_t from,
                                               std::span<const uint64_t> wanted, size_t most);

// The constant that becomes argument 0 of the call at `call` in the instruction before it.
[[nodiscard]] std::optional<uint64_t> argument_just_before(Arch arch, std::span<const uint8_t> code,
                                                           uint64_t address, uint64_t call);

}  // namespace dbtrace::code
