// The whole screen of a terminal, taken over and given back.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/output/writer.h"
#include "symbols/result.h"
#include "symbols/unique.h"

namespace dbtrace::commands::top {

// Speaks ECMA-48 as xterm understands it, as dbtrace's colours do, and writes through a
// Writer, so that a terminal that takes nothing more holds nobody up. Gives the terminal back
// when it goes, when the process is stopped by Ctrl-Z, and when it crashes. One at a time.
class Screen {
 public:
  // Takes over the terminal of `writer` (which must outlive the screen) and the keyboard: of
  // standard input, or of the process when that is no terminal. Errors: there is none.
  [[nodiscard]] static Result<Screen> open(output::Writer& writer);
  Screen(Screen&&) noexcept;
  Screen& operator=(Screen&&) = delete;
  ~Screen();

  // Becomes readable when somebody types.
  [[nodiscard]] int input_fd() const { return input_; }
  // What was typed. Nothing: the terminal has gone.
  [[nodiscard]] std::optional<std::string> read();

  // Columns and lines; never 0.
  [[nodiscard]] size_t width() const;
  [[nodiscard]] size_t height() const;
  // Shows these lines from the top of the screen on: those that differ from what is there.
  [[nodiscard]] output::WriteStatus show(const std::vector<std::string>& lines);
  // What is there is not known any more.
  void forget() { shown_.clear(); }

  // Gives the terminal back and stops the process, as Ctrl-Z does; returns when it goes on.
  [[nodiscard]] output::WriteStatus suspend();

 private:
  Screen(output::Writer& writer, UniqueFd keyboard, int input)
      : writer_(&writer), keyboard_(std::move(keyboard)), input_(input) {}
  [[nodiscard]] output::WriteStatus enter();
  void leave();

  output::Writer* writer_;  // null: moved from
  UniqueFd keyboard_;       // when it is not standard input
  int input_;
  std::vector<std::string> shown_;
  size_t shown_width_ = 0, shown_height_ = 0;
};

}  // namespace dbtrace::commands::top
