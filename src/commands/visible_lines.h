// Messages name files, symbols and command lines that anybody may have chosen.
#pragma once

#include <string>
#include <string_view>

namespace dbtrace::commands {

// `text` with everything escaped that could drive a terminal, except the line
// breaks and spaces that our own messages are laid out with.
[[nodiscard]] std::string visible_lines(std::string_view text);

}  // namespace dbtrace::commands
