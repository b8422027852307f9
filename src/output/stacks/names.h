// What is written for frames, for what a thread waited for where its stack ends, and for a
// query without a text.
#pragma once

#include <string>
#include <string_view>

#include "src/model/stack.h"

namespace dbtrace::output {

inline constexpr std::string_view kNoText = "(no text)";

// "file read", as a marker "[file read]".
[[nodiscard]] std::string cause_words(model::Cause cause);
[[nodiscard]] std::string wait_marker(model::Cause cause);

// "user", "inlined", "kernel", "marker"
[[nodiscard]] std::string_view kind_name(model::Frame::Kind kind);

// As tools for flame graphs know them: with the suffix "_[k]" in the kernel and "_[i]" for
// what was inlined, and the source line behind the name, where it is known.
[[nodiscard]] std::string flame_name(const model::Frame& frame);

}  // namespace dbtrace::output
