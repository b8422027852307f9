// What `dbtrace top` shows, as lines of text: a function of what was counted and of what
// the user has chosen. Knows no terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "src/commands/top/controls.h"
#include "src/commands/top/top_state.h"

namespace dbtrace::commands::top {

struct ViewOptions {
  size_t width = 0;             // 0: nothing is cut
  size_t height = 0;            // 0: everything, without what only a screen needs
  size_t most_rows = SIZE_MAX;  // of kinds
  bool color = false;
  bool several_servers = false;  // say which
};

// What is said besides. May hold any bytes.
struct About {
  std::string clock;         // when the interval ended
  std::string progress;      // how far that is from the beginning
  std::string server;        // what is traced
  std::string cost = {};     // what that costs, as a part of a core; empty: not known yet
  std::string message = {};  // what happened; empty: nothing
  std::string_view keys;     // those that matter most
  // What a page does not have; empty: nothing to be said.
  std::string_view not_running = {}, not_waiting = {};
};

// Lines hold text and ANSI colours, nothing else. At most `height` of them.
struct Frame {
  std::vector<std::string> lines;
  size_t most_scroll = 0;  // see Controls::limit_scroll
};

[[nodiscard]] Frame draw(const TopState& state, const Controls& controls, const About& about,
                         const ViewOptions& options);

// Rows of kinds, or lines of another page, on a screen of this height.
[[nodiscard]] size_t room_on(size_t height);

}  // namespace dbtrace::commands::top
