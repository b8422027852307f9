// What kinds of queries come to, as figures for programs: counters since the beginning, so that
// rates can be made of them.
#pragma once

#include <cstddef>

#include "src/commands/histogram/report.h"
#include "src/output/metrics.h"

namespace dbtrace::commands {

// Of a report of totals. `top`: of as many kinds at most, the first of the order; 0: all.
void tell_kinds(const KindReport& report, size_t top, output::Metrics& out);

}  // namespace dbtrace::commands
