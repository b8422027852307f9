#include "symbols/debug_data.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "symbols/decompress.h"
#include "symbols/elf_image.h"

namespace dbtrace::symbols {
namespace {

// Real ones hold a few MiB: function symbols and nothing else.
constexpr size_t kMaxSize = 128U << 20;

const Section* find_section(const ElfFile& binary) {
  const auto& sections = image_of(binary).sections;
  const auto found = std::ranges::find(sections, ".gnu_debugdata", &Section::name);
  return found == sections.end() ? nullptr : &*found;
}

// A file without a name: libelf wants a descriptor to map.
Result<UniqueFd> in_memory(std::span<const uint8_t> bytes) {
  UniqueFd file(::memfd_create("gnu_debugdata", MFD_CLOEXEC));
  while (file && !bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return fail(std::strerror(errno));
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  if (!file) return fail(std::strerror(errno));
  return file;
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
  auto file = in_memory(*bytes);
  if (!file) return tl::unexpected(std::move(file.error()));
  return ElfFile::open(std::move(*file), fmt::format(".gnu_debugdata of {}", binary.name()));
}

}  // namespace dbtrace::symbols
