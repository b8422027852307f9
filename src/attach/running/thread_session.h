// Where a thread of a server keeps the session that it is at work on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "profiles/profile.h"
#include "src/code/trace.h"
#include "symbols/finder.h"

namespace dbtrace::attach {

// One of the first two, or why neither can be had.
struct ThreadSession {
  std::optional<int64_t> offset;  // of the variable from the thread pointer (x86-64: base of fs)
  // A session is a process, and its members are variables: the link-time address that the
  // process's image begins at.
  std::optional<uint64_t> image;
  std::string origin;
  std::string reason;
};

[[nodiscard]] ThreadSession find_thread_session(symbols::Finder& finder, code::Arch arch,
                                                const profiles::Profile& profile);

}  // namespace dbtrace::attach
