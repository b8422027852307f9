// The probes on a server that reports what it is at (profiles::Reports). Only for the plan.
#pragma once

#include "src/attach/plan.h"
#include "symbols/finder.h"
#include "symbols/result.h"

namespace dbtrace::attach {

// Errors: a function is missing, a place in its code was not found or could be several, or the
// numbering of states is none that is known. Each says which.
[[nodiscard]] Result<void> add_report_hooks(symbols::Finder& finder, Plan& plan);

// Those for the statements inside commands (Reports::execution).
[[nodiscard]] Result<void> add_execution_probes(symbols::Finder& finder, Plan& plan);

}  // namespace dbtrace::attach
