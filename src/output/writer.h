// Where bytes go: standard output, standard error or a file, written in pieces
// that can be interrupted, so that a stalled pipe or terminal never keeps
// dbtrace from ending.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "symbols/result.h"
#include "symbols/unique.h"

namespace dbtrace::output {

enum class WriteStatus {
  Ok,
  Closed,   // the reader has gone (EPIPE)
  Stopped,  // nobody took the bytes for kPatience after `stop_fd` became readable
  Failed,   // disk full, …: see Writer::error()
};

// Not thread-safe.
class Writer {
 public:
  // A reader that is slow, but reads, shall have what there is at the end.
  static constexpr std::chrono::milliseconds kPatience{500};

  // Standard output, which stays open. `stop_fd` (or -1): see WriteStatus.
  [[nodiscard]] static Writer standard_output(int stop_fd);
  // Creates or empties `path`, readable by its owner only: queries may hold secrets.
  [[nodiscard]] static Result<Writer> file(const std::string& path, int stop_fd);

  // For messages: standard error, which stays open. Who does not take one within
  // kPatience misses it.
  [[nodiscard]] static Writer standard_error();

  // Takes what was written from the front of `bytes`: all of it, when the
  // status is Ok.
  [[nodiscard]] WriteStatus write(std::string_view& bytes);
  // While whoever reads it takes nothing: called some times a second. True: write() is to give up.
  void while_it_stalls(std::function<bool()> give_up) { stalls_ = std::move(give_up); }
  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] bool is_terminal() const;
  // The terminal's width in columns; 0 when it is none.
  [[nodiscard]] size_t width() const;
  // The terminal's height in lines; 0 when it is none.
  [[nodiscard]] size_t height() const;
  // The last failure, for a person.
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  using Clock = std::chrono::steady_clock;

  Writer(UniqueFd owned, int fd, int stop_fd);
  [[nodiscard]] WriteStatus wait_writable();

  UniqueFd owned_;
  int fd_;
  int stop_fd_;
  bool is_for_messages_ = false;
  std::optional<Clock::time_point> give_up_;  // set when it is time to end
  std::function<bool()> stalls_;
  bool may_stall_;  // a pipe, socket or terminal
  std::string error_;
};

}  // namespace dbtrace::output
