// One spelling for the many that a type has. For the files of this room only.
#pragma once

#include <string>
#include <string_view>

namespace dbtrace::symbols {

// The canonical spelling of types (a parameter list, template arguments): as
// people write them and as demanglers do it comes out the same. Spaces go, `const`
// follows what it qualifies, "unsigned" becomes "unsigned int", std::string and
// its long forms become one, "(void)" becomes "()".
[[nodiscard]] std::string canonical_types(std::string_view text);

}  // namespace dbtrace::symbols
