#include "profiles/patience.h"

#include <poll.h>

namespace dbtrace::profiles {

bool Patience::is_over() const { return stopped_() || std::chrono::steady_clock::now() >= end_; }

bool Patience::wait(int socket, short events) const {
  constexpr int kStep_ms = 100;
  while (!is_over()) {
    pollfd one{.fd = socket, .events = events, .revents = 0};
    if (::poll(&one, 1, kStep_ms) > 0) return true;
  }
  return false;
}

tl::unexpected<Error> Patience::why() const {
  return fail(stopped_() ? "it was stopped before the server had answered"
                         : "the server takes too long to answer");
}

}  // namespace dbtrace::profiles
