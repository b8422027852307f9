// What a character does to a terminal: the columns it takes, and whether it may
// be sent there at all.
#pragma once

#include <cstdint>

namespace dbtrace::output {

// True for characters that move the cursor, begin an escape sequence, reorder
// the text around them or can not be seen: C0 and C1 controls, DEL, bidi
// controls, zero-width characters, line separators, tags. Text from a query
// shows them as escapes only.
[[nodiscard]] bool is_unsafe(char32_t code);

// Columns of a character that is not unsafe: 2 for East Asian wide characters
// and emoji, 0 for marks that combine with the character before, else 1. The
// ranges are rounded (after Unicode's EastAsianWidth.txt and the blocks of
// combining marks); where in doubt the answer is the larger one.
[[nodiscard]] unsigned display_width(char32_t code);

}  // namespace dbtrace::output
