// Opens files beneath another root directory, such as /proc/PID/root of a
// container, whose symbolic links must not lead out of it.
#pragma once

#include <string>

#include "symbols/result.h"
#include "symbols/unique.h"

namespace dbtrace::symbols {

// An O_PATH descriptor of the absolute `path` as a process whose root is
// `root` would find it; an empty `root` is the host's own. The error's message
// is short and fits behind a colon: "not there", "Permission denied".
[[nodiscard]] Result<UniqueFd> open_in_root(const std::string& root, const std::string& path);

}  // namespace dbtrace::symbols
