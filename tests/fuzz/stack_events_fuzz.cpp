// Events in place of those of the stacks' ring buffer: a byte for the kind, then what follows the
// header.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <variant>
#include <vector>

#include "bpf/stack_event.h"
#include "src/stream/stack_events.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace dbtrace;
  if (size < 1) return 0;
  const dbt_event_header header{static_cast<uint32_t>(sizeof(dbt_event_header) + size - 1), data[0],
                                0};
  std::vector<std::byte> event(header.size);
  std::memcpy(event.data(), &header, sizeof(header));
  std::memcpy(event.data() + sizeof(header), data + 1, size - 1);
  const auto decoded = stream::decode_stack_event(event);
  if (!decoded) return 0;
  if (const auto* capture = std::get_if<stacks::Capture>(&*decoded)) {
    if (static_cast<size_t>(capture->cause) >= model::kCauses) std::abort();
    // Nothing is there that was not sent.
    if (capture->bytes.size() + capture->kernel.size() * sizeof(uint64_t) > size) std::abort();
  }
  return 0;
}
