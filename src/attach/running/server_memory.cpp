#include "src/attach/running/server_memory.h"

#include <sys/uio.h>

#include <algorithm>

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

std::optional<ServerMemory::Text> ServerMemory::text(uint64_t object, const dbt_path& path) const {
  const auto address = member(object, path);
  Text pair;
  if (!address || !read(*address, &pair, sizeof(pair)) || pair.address == 0) return std::nullopt;
  return pair;
}

std::optional<std::string> ServerMemory::name(uint64_t object, const dbt_path& path,
                                              size_t most) const {
  if (path.length_width) {
    const auto pair = text(object, path);
    if (!pair) return std::nullopt;
    std::string name(std::min<size_t>(pair->length, most), '\0');
    if (!read(pair->address, name.data(), name.size())) return std::nullopt;
    return name;
  }
  const auto address = member(object, path);
  const auto start = address ? pointer(*address) : std::nullopt;
  if (!start) return std::nullopt;
  std::string name;
  char byte = 0;
  while (name.size() < most) {
    if (!read(*start + name.size(), &byte, 1)) return std::nullopt;
    if (byte == '\0') break;
    name += byte;
  }
  return name;
}

}  // namespace dbtrace::attach
