// Names that somebody may have meant. For the files of this room only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "symbols/table_set.h"

namespace dbtrace::symbols {

// The number of single-character changes (insert, delete, replace, swap of
// neighbours) between two texts; `limit` + 1 when it is more than `limit`.
[[nodiscard]] size_t edit_distance(std::string_view a, std::string_view b, size_t limit);

// Functions whose last name is nearly that of `typed`, the nearest first, at most `most`.
[[nodiscard]] std::vector<std::string> find_similar_names(TableSet& tables, std::string_view typed,
                                                          size_t most);

}  // namespace dbtrace::symbols
