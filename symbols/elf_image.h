// What is inside an ElfFile: its bytes and its section headers. For the files
// of this room only; everybody else uses elf_file.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "symbols/elf_file.h"
#include "symbols/unique.h"

struct Elf;

namespace dbtrace::symbols {

// The bytes [offset, offset+size) of `bytes`; nullopt when they are not all there.
[[nodiscard]] inline std::optional<std::span<const uint8_t>> slice(std::span<const uint8_t> bytes,
                                                                   uint64_t offset, uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) return std::nullopt;
  return bytes.subspan(offset, size);
}

// A T copied from `offset`, where nothing needs to be aligned.
template <typename T>
[[nodiscard]] std::optional<T> load(std::span<const uint8_t> bytes, uint64_t offset) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto part = slice(bytes, offset, sizeof(T));
  if (!part) return std::nullopt;
  T value;
  std::memcpy(&value, part->data(), sizeof(T));
  return value;
}

// Longer names are no names that anybody types. The limit keeps a crafted file,
// whose million entries share one endless string, from costing hours.
inline constexpr size_t kMaxName = 8192;

// The characters from `offset` to the next NUL; "" when that is too far away.
[[nodiscard]] inline std::string_view text_at(std::span<const uint8_t> bytes, uint64_t offset) {
  if (offset >= bytes.size()) return {};
  const auto* start = reinterpret_cast<const char*>(bytes.data()) + offset;
  const size_t reach = std::min<size_t>(kMaxName + 1, bytes.size() - offset);
  const auto* end = static_cast<const char*>(std::memchr(start, 0, reach));
  return end == nullptr ? std::string_view{} : std::string_view(start, end - start);
}

struct Section {
  std::string_view name;  // points into the file
  uint32_t type = 0;      // SHT_*
  uint64_t flags = 0;     // SHF_*
  uint64_t address = 0;   // at link time; 0 when it is not loaded
  uint64_t offset = 0;    // as the file says: not checked yet
  uint64_t size = 0;
  uint64_t alignment = 0;
  uint32_t link = 0;  // index of a related section, not checked yet
};

struct ElfTraits {
  using Handle = ::Elf*;
  static ::Elf* none() { return nullptr; }
  static void release(::Elf* elf);
};

struct ElfImage {
  std::string name;
  UniqueFd file;
  Unique<ElfTraits> elf;  // owns the mapping behind `bytes`
  std::span<const uint8_t> bytes;
  std::vector<Section> sections;
  std::vector<Segment> executable_segments;
  std::optional<ThreadLocalBlock> thread_local_block;
  uint64_t first_address = 0;
  Machine machine = Machine::Other;
  std::string build_id;
  std::pair<uint64_t, uint64_t> inode;

  // The bytes of a section; nullopt when they are not (all) in the file.
  [[nodiscard]] std::optional<std::span<const uint8_t>> content(const Section& section) const;
};

[[nodiscard]] const ElfImage& image_of(const ElfFile& file);

}  // namespace dbtrace::symbols
