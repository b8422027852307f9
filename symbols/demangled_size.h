// How long a demangled name can get, without writing it. For the files of this
// room only.
#pragma once

#include <cstdint>
#include <string_view>

namespace dbtrace::symbols {

// At least the length of what `raw` demangles to. Mangled names refer back to
// their own parts, so 200 crafted characters can stand for gigabytes; the tree
// that they stand for is small all the same, and adding up its parts is cheap.
[[nodiscard]] uint64_t demangled_size_limit(std::string_view raw);

}  // namespace dbtrace::symbols
