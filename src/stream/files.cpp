#include "src/stream/files.h"

#include <algorithm>
#include <vector>

#include "bpf/budget_event.h"
#include "src/stream/bytes.h"

namespace dbtrace::stream {

bool Files::feed(std::span<const std::byte> bytes, const profiles::Profile& profile) {
  if (bytes.size() != sizeof(dbt_file_event)) return false;
  const auto event = copy_head<dbt_file_event>(bytes);
  if (event.number == 0) return false;
  if (files_.size() >= kMax) forget_half();
  const std::string_view name = as_name(event.name);
  Known& known = files_[event.number];
  known.file.name = name;
  known.file.content =
      profile.file_content ? profile.file_content(as_name(event.folder), name) : std::string();
  if (known.file.content.empty()) known.file.content = name;
  known.last_use = ++uses_;
  return true;
}

const model::File& Files::find(uint32_t number) {
  static const model::File kUnknown;
  const auto found = files_.find(number);
  if (found == files_.end()) return kUnknown;
  found->second.last_use = ++uses_;
  return found->second.file;
}

void Files::forget_half() {
  std::vector<uint64_t> last_uses;
  last_uses.reserve(files_.size());
  for (const auto& [number, known] : files_) last_uses.push_back(known.last_use);
  const auto middle = last_uses.begin() + static_cast<ptrdiff_t>(last_uses.size() / 2);
  std::nth_element(last_uses.begin(), middle, last_uses.end());
  const uint64_t oldest_kept = *middle;
  std::erase_if(files_,
                [oldest_kept](const auto& entry) { return entry.second.last_use < oldest_kept; });
}

}  // namespace dbtrace::stream
