// Whether what a recording has suffices to count its queries by kind.
#pragma once

#include <string>

#include "src/commands/tracing/query_choice.h"
#include "src/kinds/kinds.h"
#include "src/recording/reader.h"
#include "symbols/result.h"

namespace dbtrace::commands {

// Of these kinds, those that are chosen, all of its time together. Errors are the user's.
[[nodiscard]] Result<void> can_count(const recording::Reader& reader,
                                     const kinds::KindOptions& kinds, const QueryChoice& choice);

// For a recording that has not every one. `what`: that is asked for.
[[nodiscard]] Error needs_every_query(const std::string& what);

}  // namespace dbtrace::commands
