// Display: between a user and a source: keys go to it, pages come from it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/commands/top/controls.h"
#include "src/commands/top/keys.h"
#include "src/commands/top/screen.h"
#include "src/commands/top/source.h"
#include "src/commands/top/top.h"
#include "src/output/writer.h"

namespace dbtrace::commands::top {

// Pages go to a screen, or one after the other to the writer. Not thread-safe.
class Display {
 public:
  // `screen`: null for a batch. Both must outlive it.
  Display(const TopOptions& options, output::Writer& writer, Screen* screen);

  [[nodiscard]] bool has_screen() const { return screen_ != nullptr; }
  // Becomes readable when somebody types; -1: nobody does.
  [[nodiscard]] int input_fd() const { return screen_ ? screen_->input_fd() : -1; }
  // There is something to read. False: there will be no more.
  bool input(Source& source);
  // Several times a second: what was typed may have been all of a key.
  void tick(Source& source);
  // As if somebody had typed it.
  void act(const Action& action, Source& source);
  // The source's numbers are others.
  void refresh(const Source& source) { controls_.refresh(source.state()); }
  // Its kinds, too.
  void start_over() { controls_.start_over(); }

  void show(const Source& source);
  // Once after what makes another page of the same numbers.
  [[nodiscard]] bool wants_drawing();
  // Something that there is to say while nobody else may write.
  void say(std::string_view message);
  // All of it, for when the screen has ended.
  [[nodiscard]] const std::string& messages() const { return messages_; }

  [[nodiscard]] Page page() const { return controls_.page(); }
  [[nodiscard]] bool paused() const { return controls_.paused(); }
  // The user has enough, or nobody takes more.
  [[nodiscard]] bool has_ended() const { return quit_ || status_ != output::WriteStatus::Ok; }
  [[nodiscard]] output::WriteStatus status() const { return status_; }

 private:
  void act(const std::vector<Key>& keys, Source& source);

  const TopOptions& options_;
  output::Writer& writer_;
  Screen* screen_;
  const bool color_;
  Controls controls_;
  KeyDecoder decoder_;
  uint64_t typed_ns_ = 0;
  std::string message_, messages_;
  bool quit_ = false;
  bool wants_drawing_ = false;
  output::WriteStatus status_ = output::WriteStatus::Ok;
};

}  // namespace dbtrace::commands::top
