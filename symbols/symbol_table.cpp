#include "symbols/symbol_table.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "symbols/elf_image.h"

namespace dbtrace::symbols {
namespace {

SymbolKind to_kind(unsigned char info) {
  switch (ELF64_ST_TYPE(info)) {
    case STT_FUNC:
      return SymbolKind::Function;
    case STT_GNU_IFUNC:
      return SymbolKind::Resolver;
    case STT_OBJECT:
      return SymbolKind::Data;
    case STT_NOTYPE:
      return SymbolKind::Untyped;
    default:
      return SymbolKind::Other;
  }
}

// Where a name that contains a searched text can begin: anywhere from the start
// of the string to the text's last occurrence in it, as linkers let a name be
// the tail of a longer one.
struct Range {
  size_t first = 0;
  size_t last = 0;
};

std::vector<Range> find_ranges(std::string_view strings, std::string_view text) {
  std::vector<Range> ranges;
  for (size_t from = 0; from < strings.size();) {
    const void* hit =
        ::memmem(strings.data() + from, strings.size() - from, text.data(), text.size());
    if (hit == nullptr) break;
    const size_t at = static_cast<size_t>(static_cast<const char*>(hit) - strings.data());
    from = at + 1;
    if (!ranges.empty()) {
      const size_t end = ranges.back().last;
      if (std::memchr(strings.data() + end, 0, at - end) == nullptr) {
        ranges.back().last = at;
        continue;
      }
    }
    const size_t nul = strings.rfind('\0', at);
    ranges.push_back({nul == std::string_view::npos ? 0 : nul + 1, at});
  }
  return ranges;
}

bool contains(const std::vector<Range>& ranges, size_t position) {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), position,
                                      [](size_t p, const Range& range) { return p < range.first; });
  return after != ranges.begin() && position <= std::prev(after)->last;
}

}  // namespace

std::string_view SymbolTable::section_name(uint32_t section_type) {
  return section_type == SHT_DYNSYM ? ".dynsym" : ".symtab";
}

Result<SymbolTable> SymbolTable::read(const ElfFile& file, uint32_t section_type) {
  const ElfImage& image = image_of(file);
  const std::string_view name = section_name(section_type);
  for (const Section& section : image.sections) {
    if (section.type != section_type) continue;
    const bool linked = section.link < image.sections.size();
    const Section strings = linked ? image.sections[section.link] : Section{};
    if (((section.flags | strings.flags) & SHF_COMPRESSED) != 0) {
      return fail(fmt::format("{} is compressed, which is not supported", name));
    }
    const auto symbol_bytes = image.content(section);
    const auto string_bytes = image.content(strings);
    if (!symbol_bytes || !string_bytes || strings.type != SHT_STRTAB) {
      return fail(fmt::format("{} is damaged", name));
    }
    return SymbolTable(*symbol_bytes, *string_bytes);
  }
  return fail(fmt::format("no {}", name));
}

SymbolTable::SymbolTable(std::span<const uint8_t> symbols, std::span<const uint8_t> strings)
    : symbols_(symbols), strings_(strings) {
  count_ =
      std::min<size_t>(symbols.size() / sizeof(Elf64_Sym), std::numeric_limits<uint32_t>::max());
}

Symbol SymbolTable::at(size_t index) const {
  const auto entry = load<Elf64_Sym>(symbols_, index * sizeof(Elf64_Sym));
  if (!entry) return {};
  Symbol symbol{.name = text_at(strings_, entry->st_name),
                .address = entry->st_value,
                .size = entry->st_size,
                .kind = to_kind(entry->st_info),
                .is_defined = entry->st_shndx != SHN_UNDEF && entry->st_value != 0};
  symbol.name = symbol.name.substr(0, symbol.name.find('@'));
  return symbol;
}

template <typename Accept>
std::vector<uint32_t> SymbolTable::select(Accept accept) const {
  std::vector<uint32_t> result;
  for (size_t i = 0; i < count_; ++i) {
    const auto entry = load<Elf64_Sym>(symbols_, i * sizeof(Elf64_Sym));
    if (entry && accept(*entry)) result.push_back(static_cast<uint32_t>(i));
  }
  return result;
}

std::vector<uint32_t> SymbolTable::containing(std::string_view text) const {
  if (text.empty()) return select([](const Elf64_Sym&) { return true; });
  const std::string_view strings(reinterpret_cast<const char*>(strings_.data()), strings_.size());
  const std::vector<Range> ranges = find_ranges(strings, text);
  if (ranges.empty()) return {};
  return select([&](const Elf64_Sym& entry) { return contains(ranges, entry.st_name); });
}

std::vector<uint32_t> SymbolTable::at_address(uint64_t address) const {
  return select([&](const Elf64_Sym& entry) { return entry.st_value == address; });
}

}  // namespace dbtrace::symbols
