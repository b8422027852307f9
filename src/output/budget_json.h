// The members `budget`, `io` and `blocker` of a query's JSON.
#pragma once

#include <string>

#include "src/output/json_writer.h"
#include "src/output/shown.h"

namespace dbtrace::output {

// Appends them to the object, which writes to `out`; nothing when the query has no
// budget.
void append_budget(JsonObject& object, const Shown& shown, std::string& out);

}  // namespace dbtrace::output
