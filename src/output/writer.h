// Where bytes go: standard output or a file, written in pieces that can be
// interrupted, so that a stalled pipe or terminal never keeps dbtrace from
// ending.
#pragma once

#include <string>
#include <string_view>

#include "symbols/result.h"
#include "symbols/unique.h"

namespace dbtrace::output {

enum class WriteStatus {
  Ok,
  Closed,   // the reader has gone (EPIPE)
  Stopped,  // `stop_fd` became readable while waiting
  Failed,   // disk full, …: see Writer::error()
};

// Not thread-safe.
class Writer {
 public:
  // Standard output, which stays open. `stop_fd` (or -1): see WriteStatus.
  [[nodiscard]] static Writer standard_output(int stop_fd);
  // Creates or empties `path`, readable by its owner only: queries may hold secrets.
  [[nodiscard]] static Result<Writer> file(const std::string& path, int stop_fd);

  [[nodiscard]] WriteStatus write(std::string_view bytes);
  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] bool is_terminal() const;
  // The terminal's width in columns; 0 when it is none.
  [[nodiscard]] size_t width() const;
  // The last failure, for a person.
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  Writer(UniqueFd owned, int fd, int stop_fd);
  [[nodiscard]] WriteStatus wait_writable();

  UniqueFd owned_;
  int fd_;
  int stop_fd_;
  bool may_stall_;  // a pipe, socket or terminal
  std::string error_;
};

}  // namespace dbtrace::output
