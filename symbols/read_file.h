// Files of the kernel and of strangers, with a bound.
#pragma once

#include <cstddef>
#include <string>

#include "symbols/result.h"

namespace dbtrace::symbols {

// What can be read from `fd`, at most `limit` bytes: more is left unread. Files
// in /proc have no size, so this reads to their end.
[[nodiscard]] Result<std::string> read_all(int fd, size_t limit);

// The same for the file `path`, which is the kernel's own.
[[nodiscard]] Result<std::string> read_file(const std::string& path, size_t limit);

}  // namespace dbtrace::symbols
