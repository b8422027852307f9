// Events in place of those of the ring buffer. An input is a row of them: a byte for the
// kind, two for the length, the event behind its header.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "bpf/budget_event.h"
#include "src/stream/decoder.h"

namespace {

void check(const dbtrace::model::Query& query) {
  if (query.text.size() > DBT_TEXT_INLINE + DBT_NAME_MAX + DBT_TAIL_MAX) std::abort();
  if (query.budget && query.budget->unexplained_ns > query.duration_ns) std::abort();
  if (query.budget.has_value() != query.io.has_value()) std::abort();
  if (query.io && query.io->files.size() > DBT_FILES_MAX) std::abort();
  if (query.blocker && static_cast<size_t>(query.blocker->cause) >= dbtrace::model::kCauses)
    std::abort();
  if (query.named_waits && (!query.budget || query.named_waits->waits.size() > DBT_NAMED_WAITS_MAX))
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace dbtrace;
  const auto profiles = profiles::all();
  const auto postgres = std::ranges::find(profiles, "postgres", &profiles::Profile::flavor);
  stream::Decoder decoder({{.profile = &profiles[0]},
                           {.profile = &*postgres,
                            .layout = profiles::PacketLayout::ComData,
                            .sees_waits = true,
                            .version = "18.4"}});
  std::span<const uint8_t> input(data, size);
  std::vector<std::byte> event;
  while (input.size() >= 3) {
    const uint8_t kind = input[0];
    const size_t length = std::min<size_t>(input[1] | input[2] << 8, input.size() - 3);
    const dbt_event_header header{static_cast<uint32_t>(sizeof(dbt_event_header) + length),
                                  static_cast<uint16_t>(kind & 0x7f),
                                  static_cast<uint16_t>(kind >> 7)};
    event.resize(header.size);
    std::memcpy(event.data(), &header, sizeof(header));
    std::memcpy(event.data() + sizeof(header), input.data() + 3, length);
    input = input.subspan(3 + length);
    const uint64_t malformed = decoder.malformed();
    const model::Query* query = decoder.feed(event);
    if (query) check(*query);
    if (decoder.malformed() != malformed && (query || decoder.operation())) std::abort();
  }
  return 0;
}
