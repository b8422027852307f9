// Kinds in the order in which people want to see them.
#pragma once

#include <cstdint>
#include <vector>

#include "src/kinds/kinds.h"
#include "src/model/sums.h"

namespace dbtrace::kinds {

enum class SortKey : uint8_t { Total, Count, Mean, P99, Max, Io, Errors };

struct Ranked {
  uint32_t kind;
  const model::Sums* sums;
};

// What a kind is sorted by. Io: the time in operations on files.
[[nodiscard]] uint64_t value_of(SortKey key, const model::Sums& sums);

// The greatest first; equal ones by their total time and then as they came; kOther last.
void sort(std::vector<Ranked>& kinds, SortKey key);

}  // namespace dbtrace::kinds
