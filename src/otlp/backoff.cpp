#include "src/otlp/backoff.h"

#include <algorithm>

namespace dbtrace::otlp {

Backoff::Time Backoff::next(std::optional<std::chrono::seconds> asked_for, double chance) {
  const Time part = next_ / 2;
  const Time own = part + std::chrono::duration_cast<Time>(part * chance);
  next_ = std::min(next_ * 2, kLongest);
  if (!asked_for) return own;
  // Compared as seconds: more of them than there are milliseconds may be asked for.
  const auto most = std::chrono::duration_cast<std::chrono::seconds>(kMostAskedFor);
  return std::max<Time>(own, std::min(*asked_for, most));
}

}  // namespace dbtrace::otlp
