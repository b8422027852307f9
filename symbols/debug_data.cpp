#include "symbols/debug_data.h"

#include <fmt/format.h>

#include <algorithm>

#include "symbols/decompress.h"
#include "symbols/elf_image.h"
#include "symbols/memory_file.h"

namespace dbtrace::symbols {
namespace {

// Real ones hold a few MiB: function symbols and nothing else.
constexpr size_t kMaxSize = 128U << 20;

const Section* find_section(const ElfFile& binary) {
  const auto& sections = image_of(binary).sections;
  const auto found = std::ranges::find(sections, ".gnu_debugdata", &Section::name);
  return found == sections.end() ? nullptr : &*found;
}

}  // namespace

bool has_debug_data(const ElfFile& binary) { return find_section(binary) != nullptr; }

Result<ElfFile> open_debug_data(const ElfFile& binary) {
  const Section* section = find_section(binary);
  if (section == nullptr) return fail("no .gnu_debugdata");
  const auto packed = image_of(binary).content(*section);
  if (!packed) return fail("is damaged");
  auto bytes = decompress(Compression::Xz, *packed, kMaxSize);
  if (!bytes) return tl::unexpected(std::move(bytes.error()));
  auto file = memory_file("gnu_debugdata", *bytes);
  if (!file) return tl::unexpected(std::move(file.error()));
  return ElfFile::open(std::move(*file), fmt::format(".gnu_debugdata of {}", binary.name()));
}

}  // namespace dbtrace::symbols
