// Where a thread of a server keeps the session that it is at work on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "profiles/profile.h"
#include "src/code/trace.h"
#include "symbols/finder.h"

namespace dbtrace::attach {

// The distance of the variable from the thread pointer (x86-64: the base of fs),
// or why it cannot be had.
struct ThreadSession {
  std::optional<int64_t> offset;
  std::string origin;
  std::string reason;
};

[[nodiscard]] ThreadSession find_thread_session(symbols::Finder& finder, code::Arch arch,
                                                const profiles::Profile& profile);

}  // namespace dbtrace::attach
