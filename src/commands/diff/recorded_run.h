// A recording as `dbtrace histogram --save` would have saved it.
#pragma once

#include <string>

#include "src/commands/diff/saved_run.h"
#include "symbols/result.h"

namespace dbtrace::commands {

// Whether the file begins as recordings do.
[[nodiscard]] bool looks_recorded(const std::string& path);

// Errors: as recording::Reader has them.
[[nodiscard]] Result<SavedRun> run_of_recording(const std::string& path);

}  // namespace dbtrace::commands
