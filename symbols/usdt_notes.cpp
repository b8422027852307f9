#include "symbols/usdt_notes.h"

#include <elf.h>

#include <algorithm>
#include <string_view>

#include "symbols/elf_image.h"

namespace dbtrace::symbols {
namespace {

constexpr std::string_view kSection = ".note.stapsdt";
constexpr std::string_view kBaseSection = ".stapsdt.base";
constexpr std::string_view kOwner = "stapsdt";
constexpr uint32_t kType = 3;
// What a crafted file can make this cost. PostgreSQL has 120 probes; twelve
// arguments, the most there can be, are some 300 characters.
constexpr size_t kMaxProbes = 65'536;
constexpr size_t kMaxText = 1024;
constexpr size_t kMaxSections = 1024;

uint64_t padded(uint64_t size) { return (size + 3) / 4 * 4; }

// Takes a string and its NUL off the front of `bytes`.
std::optional<std::string_view> take_text(std::span<const uint8_t>& bytes) {
  const auto end = std::find(bytes.begin(), bytes.end(), uint8_t{0});
  const auto size = static_cast<size_t>(end - bytes.begin());
  if (end == bytes.end() || size > kMaxText) return std::nullopt;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), size);
  bytes = bytes.subspan(size + 1);
  return text;
}

std::optional<UsdtProbe> parse_description(std::span<const uint8_t> description) {
  UsdtProbe probe;
  const auto location = load<uint64_t>(description, 0);
  const auto base = load<uint64_t>(description, 8);
  const auto semaphore = load<uint64_t>(description, 16);
  if (!semaphore) return std::nullopt;
  auto texts = description.subspan(24);
  const auto provider = take_text(texts);
  const auto name = provider ? take_text(texts) : std::nullopt;
  const auto arguments = name ? take_text(texts) : std::nullopt;
  if (!arguments || provider->empty() || name->empty()) return std::nullopt;
  probe.provider = *provider;
  probe.name = *name;
  probe.arguments = *arguments;
  probe.location = *location;
  probe.base = *base;
  probe.semaphore = *semaphore;
  return probe;
}

std::span<const Section> first_sections(const ElfImage& image) {
  return std::span(image.sections).first(std::min(kMaxSections, image.sections.size()));
}

// Where the file holds the byte of a section that will lie at `address`.
std::optional<uint64_t> offset_in_sections(const ElfImage& image, uint64_t address) {
  for (const Section& section : first_sections(image)) {
    const bool is_loaded = (section.flags & SHF_ALLOC) != 0 && section.type != SHT_NOBITS;
    if (!is_loaded || address < section.address) continue;
    const uint64_t inside = address - section.address;
    const auto content = inside < section.size ? image.content(section) : std::nullopt;
    if (content) return section.offset + inside;
  }
  return std::nullopt;
}

// How far the file was moved since its notes were written.
uint64_t shift_of(const UsdtProbe& probe, std::optional<uint64_t> base_now) {
  return probe.base != 0 && base_now ? *base_now - probe.base : 0;
}

}  // namespace

std::vector<UsdtProbe> parse_usdt_notes(std::span<const uint8_t> notes) {
  std::vector<UsdtProbe> probes;
  while (const auto header = load<Elf64_Nhdr>(notes, 0)) {
    const uint64_t description_at = sizeof(*header) + padded(header->n_namesz);
    const auto description = slice(notes, description_at, header->n_descsz);
    if (!description || probes.size() == kMaxProbes) break;
    const bool is_probe = header->n_type == kType && header->n_namesz == kOwner.size() + 1 &&
                          text_at(notes, sizeof(*header)) == kOwner;
    if (is_probe) {
      auto probe = parse_description(*description);
      if (!probe) break;
      probes.push_back(std::move(*probe));
    }
    const uint64_t size = description_at + padded(header->n_descsz);
    notes = notes.subspan(std::min<uint64_t>(size, notes.size()));
  }
  return probes;
}

std::vector<UsdtProbe> read_usdt_probes(const ElfFile& file) {
  const ElfImage& image = image_of(file);
  std::optional<uint64_t> base_now;
  for (const Section& section : first_sections(image)) {
    if (section.name == kBaseSection) base_now = section.address;
  }
  std::vector<UsdtProbe> probes;
  for (const Section& section : first_sections(image)) {
    if (section.type != SHT_NOTE || section.name != kSection) continue;
    const auto content = image.content(section);
    if (!content) continue;
    for (UsdtProbe& probe : parse_usdt_notes(*content)) {
      if (probes.size() == kMaxProbes) return probes;
      const uint64_t shift = shift_of(probe, base_now);
      probe.location += shift;
      probe.offset = file.file_offset(probe.location);
      if (probe.semaphore != 0) {
        probe.semaphore += shift;
        probe.semaphore_offset = offset_in_sections(image, probe.semaphore);
      }
      probes.push_back(std::move(probe));
    }
  }
  return probes;
}

}  // namespace dbtrace::symbols
