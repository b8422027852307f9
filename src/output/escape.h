// Text from a server made fit for a person's eyes and terminal.
//
// Unsafe characters (see character_class.h) are shown as escapes: "\x1b" below
// U+0080, "\u202e" or "\U000e0001" above; a byte that is not valid UTF-8 as
// "\xff". A backslash stands for itself, so an escape can not be told from text
// that was written like one: this is for reading, JSON is for programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace dbtrace::output {

inline constexpr size_t kUnlimited = std::numeric_limits<size_t>::max();
inline constexpr std::string_view kEllipsis = "\u2026";  // one column

// Appends `text` on one line: each run of white space becomes one space, none
// at the ends. What would take more than `max_columns` is cut and ends in "…".
// Returns the columns used. Reads no more of `text` than is shown.
size_t append_visible(std::string& out, std::string_view text, size_t max_columns = kUnlimited);

// Appends the escape of one byte: "\x1b".
void append_byte_escape(std::string& out, uint8_t byte);

// Appends the escape of an unsafe character.
void append_character_escape(std::string& out, char32_t code);

}  // namespace dbtrace::output
