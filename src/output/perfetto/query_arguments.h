// What is known of a query as arguments of its slice, by the names that JSON has for it.
#pragma once

#include <string_view>

#include "src/output/perfetto/arguments.h"
#include "src/output/shown.h"

namespace dbtrace::output::perfetto {

// `name`: of the slice; a text that says no more is left out.
void add_query(const Shown& shown, std::string_view name, Arguments& to);

}  // namespace dbtrace::output::perfetto
