#include "symbols/symbol_versions.h"

#include <elf.h>

#include "symbols/elf_image.h"

namespace dbtrace::symbols {
namespace {

// Linked lists in the file may lead in circles.
constexpr size_t kMaxEntries = 65536;
constexpr size_t kMaxNeeded = 4096;
constexpr uint16_t kHidden = 0x8000;
constexpr uint16_t kFirstVersion = 2;  // 0 and 1 are "local" and "global"

std::span<const uint8_t> content_of(const ElfImage& image, const Section& section) {
  return image.content(section).value_or(std::span<const uint8_t>{});
}

std::span<const uint8_t> strings_of(const ElfImage& image, const Section& section) {
  if (section.link >= image.sections.size()) return {};
  return content_of(image, image.sections[section.link]);
}

}  // namespace

SymbolVersions::SymbolVersions(const ElfFile& file) {
  const ElfImage& image = image_of(file);
  for (const Section& section : image.sections) {
    const auto bytes = content_of(image, section);
    const auto strings = strings_of(image, section);
    switch (section.type) {
      case SHT_GNU_versym:
        indices_ = bytes;
        break;
      case SHT_GNU_verdef:
        read_definitions(bytes, strings);
        break;
      case SHT_GNU_verneed:
        read_needs(bytes, strings);
        break;
      case SHT_DYNAMIC:
        for (size_t at = 0; const auto entry = load<Elf64_Dyn>(bytes, at); at += sizeof(*entry)) {
          if (entry->d_tag == DT_NULL || needed_.size() == kMaxNeeded) break;
          if (entry->d_tag == DT_NEEDED) needed_.push_back(text_at(strings, entry->d_un.d_val));
        }
        break;
      default:
        break;
    }
  }
}

void SymbolVersions::read_definitions(std::span<const uint8_t> bytes,
                                      std::span<const uint8_t> strings) {
  uint64_t at = 0;
  for (size_t i = 0; i < kMaxEntries; ++i) {
    const auto definition = load<Elf64_Verdef>(bytes, at);
    if (!definition) return;
    if (const auto name = load<Elf64_Verdaux>(bytes, at + definition->vd_aux))
      versions_[definition->vd_ndx] = {text_at(strings, name->vda_name), {}};
    if (definition->vd_next == 0) return;
    at += definition->vd_next;
  }
}

void SymbolVersions::read_needs(std::span<const uint8_t> bytes, std::span<const uint8_t> strings) {
  uint64_t at = 0;
  size_t entries = 0;
  while (const auto need = load<Elf64_Verneed>(bytes, at)) {
    const std::string_view library = text_at(strings, need->vn_file);
    uint64_t name_at = at + need->vn_aux;
    while (const auto name = load<Elf64_Vernaux>(bytes, name_at)) {
      versions_[static_cast<uint16_t>(name->vna_other & ~kHidden)] = {
          text_at(strings, name->vna_name), library};
      if (name->vna_next == 0 || ++entries >= kMaxEntries) break;
      name_at += name->vna_next;
    }
    if (need->vn_next == 0 || ++entries >= kMaxEntries) return;
    at += need->vn_next;
  }
}

SymbolVersion SymbolVersions::of(size_t index) const {
  const auto value = load<uint16_t>(indices_, index * sizeof(uint16_t));
  if (!value) return {};
  const auto number = static_cast<uint16_t>(*value & ~kHidden);
  const auto found = number < kFirstVersion ? versions_.end() : versions_.find(number);
  if (found == versions_.end()) return {};
  return {found->second.name, found->second.library, (*value & kHidden) == 0};
}

}  // namespace dbtrace::symbols
