#include "src/attach/running/server_memory.h"

#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace dbtrace::attach {

bool ServerMemory::read(uint64_t address, void* to, size_t size) const {
  iovec local{to, size};
  iovec remote{reinterpret_cast<void*>(address), size};
  return ::process_vm_readv(static_cast<pid_t>(pid_), &local, 1, &remote, 1, 0) ==
         static_cast<ssize_t>(size);
}

std::optional<uint64_t> ServerMemory::pointer(uint64_t address) const {
  uint64_t value = 0;
  if (!read(address, &value, sizeof(value)) || value == 0) return std::nullopt;
  return value;
}

std::optional<uint64_t> ServerMemory::member(uint64_t object, const dbt_path& path) const {
  if (path.steps == 0) return std::nullopt;
  for (size_t i = 0; i + 1 < path.steps; ++i) {
    const auto next = pointer(object + path.offset[i]);
    if (!next) return std::nullopt;
    object = *next;
  }
  return object + path.offset[path.steps - 1];
}

std::optional<uint64_t> ServerMemory::number(uint64_t object, const dbt_path& path) const {
  const auto address = member(object, path);
  uint64_t value = 0;  // little-endian: the narrow one's bytes come first
  if (!address || !read(*address, &value, path.width == 4 ? 4 : 8)) return std::nullopt;
  return value;
}

std::optional<uint64_t> ServerMemory::length(uint64_t text, size_t most) const {
  constexpr size_t kPage = 4096;  // what lies on one can be read at once
  std::array<char, kPage> bytes;
  size_t length = 0;
  while (length < most) {
    const uint64_t at = text + length;
    const size_t size = std::min(kPage - at % kPage, most - length);
    if (!read(at, bytes.data(), size)) return std::nullopt;
    const void* end = std::memchr(bytes.data(), 0, size);
    if (end) return length + static_cast<size_t>(static_cast<const char*>(end) - bytes.data());
    length += size;
  }
  return length;
}

std::optional<ServerMemory::Text> ServerMemory::text(uint64_t object, const dbt_path& path,
                                                     size_t most) const {
  const auto address = member(object, path);
  const auto start = address ? pointer(*address) : std::nullopt;
  if (!start) return std::nullopt;
  if (path.length_width == 0) {
    const auto until_nul = length(*start, most);
    return until_nul ? std::optional(Text{*start, *until_nul}) : std::nullopt;
  }
  Text text{*start, 0};  // little-endian: a narrow length's bytes come first
  if (!read(*address + sizeof(uint64_t), &text.length, path.length_width)) return std::nullopt;
  return text;
}

std::optional<std::string> ServerMemory::name(uint64_t object, const dbt_path& path,
                                              size_t most) const {
  const auto place = text(object, path, most);
  if (!place) return std::nullopt;
  std::string name(std::min<size_t>(place->length, most), '\0');
  if (!read(place->address, name.data(), name.size())) return std::nullopt;
  return name;
}

}  // namespace dbtrace::attach
