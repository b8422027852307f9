#include "src/recording/rate_limit.h"

#include <algorithm>

namespace dbtrace::recording {

// As many as the last stretch had in the same time.
uint64_t RateLimit::next_one_in() const {
  const uint64_t length_ns = std::max<uint64_t>(now_.end_ns - now_.begin_ns, 1'000'000);
  const double a_second = static_cast<double>(now_.queries) * 1e9 / static_cast<double>(length_ns);
  const double wanted = a_second / static_cast<double>(most_);
  return wanted <= 1 ? 1 : static_cast<uint64_t>(wanted) + 1;
}

void RateLimit::begin(uint64_t begin_ns, uint64_t one_in) {
  now_ = {.begin_ns = begin_ns,
          .end_ns = begin_ns,
          .queries = 0,
          .kept = 0,
          .one_in = one_in,
          .slow_ns = one_in > 1 ? slow_ns() : 0};
  slow_left_ = most_ / kSlowPart;
  durations_ = {};
}

// More than the bucket of the quantile holds: all of them may be in that.
uint64_t RateLimit::slow_ns() const {
  return model::Histogram::greatest(model::Histogram::bucket_of(durations_.quantile(kSlow))) + 1;
}

std::optional<Stretch> RateLimit::advance(uint64_t end_ns) {
  if (most_ == 0) return std::nullopt;
  if (now_.begin_ns == 0) begin(end_ns, 1);
  // Queries come nearly in the order of their ends.
  now_.end_ns = std::max(now_.end_ns, end_ns);
  const bool is_over = now_.end_ns - now_.begin_ns >= kLength_ns;
  if (!is_over && (is_limiting() || now_.queries < most_)) return std::nullopt;
  const std::optional<Stretch> over = finish();
  begin(now_.end_ns, next_one_in());
  return over;
}

// Once too many are, slow is what they always are now.
bool RateLimit::is_slow(uint64_t duration_ns) {
  if (duration_ns < now_.slow_ns) return false;
  if (slow_left_ > 0) {
    --slow_left_;
    return true;
  }
  now_.slow_ns = Stretch::kNothingIsSlow;
  return false;
}

uint64_t RateLimit::weight(uint64_t duration_ns) {
  if (most_ == 0) return 1;
  ++now_.queries;
  durations_.add(duration_ns);
  uint64_t weight = 1;
  if (is_limiting() && !is_slow(duration_ns))
    weight = chance_() % now_.one_in == 0 ? now_.one_in : 0;
  if (weight) ++now_.kept;
  return weight;
}

std::optional<Stretch> RateLimit::finish() {
  return is_limiting() ? std::optional(now_) : std::nullopt;
}

}  // namespace dbtrace::recording
