// A pipe between dbtrace and the test, which may read it, leave it full, or
// close it.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <string>

#include "symbols/unique.h"

namespace dbtrace::testing {

class Pipe {
 public:
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    read_ = UniqueFd(ends[0]);
    write_ = UniqueFd(ends[1]);
  }

  [[nodiscard]] int write_end() const { return write_.get(); }
  // Once the writing process has been started.
  void close_write_end() { write_.reset(); }
  void close_read_end() { read_.reset(); }

  // Everything up to the end; waits for it.
  [[nodiscard]] std::string read_all() const {
    std::string text;
    while (read_some(text)) {
    }
    return text;
  }
  // Appends what is there, after waiting for it; false at the end.
  [[nodiscard]] bool read_some(std::string& text) const {
    std::array<char, 65536> bytes;
    const ssize_t size = ::read(read_.get(), bytes.data(), bytes.size());
    if (size > 0) text.append(bytes.data(), static_cast<size_t>(size));
    return size > 0;
  }
  // Waits for a first byte; false at the end.
  [[nodiscard]] bool read_byte() const {
    char byte = 0;
    return ::read(read_.get(), &byte, 1) == 1;
  }

 private:
  UniqueFd read_;
  UniqueFd write_;
};

}  // namespace dbtrace::testing
