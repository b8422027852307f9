#include "src/attach/running/running_records.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace dbtrace::attach {
namespace {

constexpr size_t kHead = offsetof(dbt_command_event, data);

// Takes a T off the front.
template <typename T>
std::optional<T> take(std::span<const std::byte>& bytes) {
  if (bytes.size() < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  bytes = bytes.subspan(sizeof(T));
  return value;
}

}  // namespace

std::vector<std::byte> running_event(std::span<const std::byte> record, uint64_t now_ns) {
  if (record.size() < kHead) return {};
  dbt_command_event head;
  std::memcpy(&head, record.data(), kHead);
  const size_t size = kHead + head.database_size + head.text_size;
  if (!(head.flags & DBT_COMPLETE) || size > record.size()) return {};
  head.header.size = static_cast<dbt_u32>(size);
  head.duration_ns = now_ns - std::min(now_ns, head.start_ns);
  // The rest of a long text is sent when the command ends.
  head.flags = static_cast<dbt_u16>((head.flags & ~DBT_HAS_TAIL) | DBT_IS_RUNNING);
  std::vector<std::byte> event(record.begin(), record.begin() + static_cast<ptrdiff_t>(size));
  std::memcpy(event.data(), &head, kHead);
  return event;
}

void each_running(std::span<const std::byte> bytes, uint64_t now_ns,
                  const std::function<void(std::span<const std::byte>)>& handler) {
  while (const auto frame = take<dbt_running_frame>(bytes)) {
    if (frame->size > bytes.size()) return;
    const auto record = bytes.first(frame->size);
    bytes = bytes.subspan(frame->size);
    const auto end = take<dbt_running_end>(bytes);
    if (!end) return;
    if (end->start_ns != frame->start_ns || !(end->flags & DBT_COMPLETE)) continue;
    const std::vector<std::byte> event = running_event(record, now_ns);
    if (event.size() == record.size()) handler(event);
  }
}

}  // namespace dbtrace::attach
