#include "src/attach/event_ring.h"

#include <cerrno>
#include <utility>

#include "src/attach/preflight.h"

namespace dbtrace::attach {

Result<EventRing> EventRing::open(const bpf_map* map) {
  EventRing ring;
  ring.batch_ = std::make_unique<Batch>();
  ring.ring_ = Ring(ring_buffer__new(bpf_map__fd(map), take, ring.batch_.get(), nullptr));
  if (!ring.ring_) return tl::unexpected(explain_failure("cannot open the ring buffer", errno));
  return ring;
}

int EventRing::fd() const { return ring_buffer__epoll_fd(ring_.get()); }

bool EventRing::drain(const EventHandler& handler) {
  constexpr int kBatchEvents = 8192;
  *batch_ = {&handler, kBatchEvents};
  return ring_buffer__consume(ring_.get()) == -ECANCELED;
}

int EventRing::take(void* context, void* data, size_t size) {
  auto& batch = *static_cast<Batch*>(context);
  (*batch.handler)({static_cast<const std::byte*>(data), size});
  // An error ends the consumption; this event counts as consumed all the same.
  return --batch.left > 0 ? 0 : -ECANCELED;
}

}  // namespace dbtrace::attach
