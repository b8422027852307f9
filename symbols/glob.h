// Shell patterns on names.
#pragma once

#include <string_view>

namespace dbtrace::symbols {

// Whether `pattern` with `*`, `?`, `[a-z]` and `[!a-z]` is all of `text`. A `[`
// that is never closed stands for itself. At most length × length steps.
[[nodiscard]] bool glob_matches(std::string_view pattern, std::string_view text);

}  // namespace dbtrace::symbols
