// Finder::match(): patterns against merged tables. For the files of this room only.
#pragma once

#include "symbols/location.h"
#include "symbols/pattern.h"
#include "symbols/table_set.h"

namespace dbtrace::symbols {

[[nodiscard]] Matches match_pattern(TableSet& tables, const Pattern& pattern);

}  // namespace dbtrace::symbols
