// The reading end of a BPF ring buffer. Only for files of the tracer's library.
#pragma once

#include <bpf/libbpf.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "src/attach/probes.h"
#include "symbols/result.h"

namespace dbtrace::attach {

using EventHandler = std::function<void(std::span<const std::byte>)>;

// Not thread-safe. Movable.
class EventRing {
 public:
  EventRing() = default;
  [[nodiscard]] static Result<EventRing> open(const bpf_map* map);

  // Becomes readable when the programs wake us.
  [[nodiscard]] int fd() const;
  // Hands waiting events to `handler`: all of them, or as many as keep the caller
  // busy for some milliseconds. True: there are more.
  [[nodiscard]] bool drain(const EventHandler& handler);

 private:
  struct Batch {
    const EventHandler* handler = nullptr;
    int left = 0;
  };
  static int take(void* context, void* data, size_t size);

  std::unique_ptr<Batch> batch_;  // where the ring points at, so it goes after it
  Ring ring_;
};

}  // namespace dbtrace::attach
