// Files that are written as a whole: who reads one sees the old content or the new.
#pragma once

#include <string>
#include <string_view>

#include "symbols/result.h"

namespace dbtrace::output {

// Puts `bytes` into the file, replacing it, readable by its owner only. A symbolic link is
// followed; what is no regular file (a device, a pipe) is written to as it is.
[[nodiscard]] Result<void> replace_file(const std::string& path, std::string_view bytes);

// Whether that would work, as far as it can be known before. Changes nothing.
[[nodiscard]] Result<void> can_replace(const std::string& path);

}  // namespace dbtrace::output
