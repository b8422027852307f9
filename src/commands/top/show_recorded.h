// The life of `dbtrace top --from`.
#pragma once

#include "src/commands/top/top.h"
#include "src/model/filter.h"

namespace dbtrace::commands::top {

// On the screen with a clock that the user moves, or page by page. Returns the exit code.
[[nodiscard]] int show_recorded(const TopOptions& options, const model::Filter& filter);

}  // namespace dbtrace::commands::top
