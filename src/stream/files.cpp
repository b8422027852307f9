#include "src/stream/files.h"

#include <algorithm>
#include <vector>

#include "bpf/budget_event.h"
#include "src/stream/bytes.h"

namespace dbtrace::stream {

namespace {

std::string content_of(const EventSource& source, std::string_view folder, std::string_view name) {
  std::string content;
  if (source.namer)
    content = source.namer->content(folder, name);
  else if (source.profile->file_content)
    content = source.profile->file_content(folder, name);
  return content.empty() ? std::string(name) : content;
}

}  // namespace

bool Files::feed(std::span<const std::byte> bytes, const EventSource& source) {
  if (bytes.size() != sizeof(dbt_file_event)) return false;
  const auto event = copy_head<dbt_file_event>(bytes);
  if (event.number == 0) return false;
  if (files_.size() >= most_) forget_half();
  const std::string_view name = as_name(event.name), folder = as_name(event.folder);
  Known& known = files_[event.number];
  known.namer = source.namer;
  if (known.namer) {
    known.edition = known.namer->edition();
    known.folder = folder;
  }
  known.file = {std::string(name), content_of(source, folder, name)};
  known.last_use = ++uses_;
  return true;
}

const model::File& Files::find(uint32_t number) {
  static const model::File kUnknown;
  const auto found = files_.find(number);
  if (found == files_.end()) return kUnknown;
  Known& known = found->second;
  known.last_use = ++uses_;
  if (known.namer && known.edition != known.namer->edition()) ask_again(known);
  return known.file;
}

void Files::ask_again(Known& known) {
  known.edition = known.namer->edition();
  std::string content = known.namer->content(known.folder, known.file.name);
  if (content.empty() || content == known.file.content) return;
  if (renamed_.size() < most_) renamed_.emplace_back(known.file.content, content);
  known.file.content = std::move(content);
}

Files::Renamed Files::take_renamed() {
  for (auto& [number, known] : files_)
    if (known.namer && known.edition != known.namer->edition()) ask_again(known);
  return std::exchange(renamed_, {});
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
