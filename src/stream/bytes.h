// Reading events: copied, never cast, as they need not be aligned. Private to this room.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>

namespace dbtrace::stream {

// Copies the first `size` bytes of `bytes`, which has as many, into a zeroed T.
template <typename T>
T copy_head(std::span<const std::byte> bytes, size_t size = sizeof(T)) {
  T value;
  std::memset(static_cast<void*>(&value), 0, sizeof(T));
  std::memcpy(static_cast<void*>(&value), bytes.data(), size);
  return value;
}

inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A name in a field of fixed size: up to its NUL, or all of it.
template <size_t Size>
std::string_view as_name(const char (&field)[Size]) {
  return {field, strnlen(field, Size)};
}

}  // namespace dbtrace::stream
