// From the bytes that a terminal sends to keys, and from keys to what they are for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/commands/top/action.h"

namespace dbtrace::commands::top {

struct Key {
  enum class Name : uint8_t {
    Character,
    Enter,
    Escape,
    Backspace,
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
    F1,
    F2,
    F3,
    F4,
    Other,  // something that is known to be one key, but not which
  };
  Name name = Name::Other;
  char32_t character = 0;  // control characters, too: Ctrl-L is 12
  friend bool operator==(const Key&, const Key&) = default;
};

// Knows the sequences of xterm and those like it (VT220, rxvt, screen, tmux, PuTTY, the Linux
// console). Bytes may come in any pieces.
class KeyDecoder {
 public:
  [[nodiscard]] std::vector<Key> feed(std::string_view bytes);
  // Whether there is a beginning of a key. When nothing follows it for a moment, it was
  // a key of its own (Escape) or none.
  [[nodiscard]] bool is_waiting() const { return !pending_.empty(); }
  [[nodiscard]] std::vector<Key> give_up();

 private:
  std::string pending_;
};

// `typing`: characters are text.
[[nodiscard]] Action action_of(const Key& key, bool typing);

}  // namespace dbtrace::commands::top
