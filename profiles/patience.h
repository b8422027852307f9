// For how long somebody waits for a server: until a deadline, or until it is time to stop. One
// for all that belongs together: a server that answers a byte at a time gains nothing by it.
#pragma once

#include <chrono>
#include <functional>
#include <utility>

#include "symbols/result.h"

namespace dbtrace::profiles {

// Not thread-safe.
class Patience {
 public:
  // Counted from now. `stopped`: whether it is time to stop; asked some ten times a second.
  Patience(std::chrono::milliseconds most, std::function<bool()> stopped)
      : end_(std::chrono::steady_clock::now() + most), stopped_(std::move(stopped)) {}

  [[nodiscard]] bool is_over() const;
  // Until one of poll()'s `events` has come. False: it is over, whether one has come or not.
  [[nodiscard]] bool wait(int socket, short events) const;
  // Once it is over: why.
  [[nodiscard]] tl::unexpected<Error> why() const;

 private:
  std::chrono::steady_clock::time_point end_;
  std::function<bool()> stopped_;
};

}  // namespace dbtrace::profiles
