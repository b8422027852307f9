#include "symbols/symbol_table.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "symbols/decompress.h"
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
    case STT_TLS:
      return SymbolKind::ThreadLocal;
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

// A section's bytes, and what keeps them when they do not lie in the file.
struct Content {
  std::span<const uint8_t> bytes;
  std::shared_ptr<const std::vector<uint8_t>> owner;
};

Result<Content> content_of(const ElfImage& image, const Section& section) {
  const auto bytes = image.content(section);
  if (!bytes) return fail("is damaged");
  if ((section.flags & SHF_COMPRESSED) == 0) return Content{*bytes, nullptr};
  auto plain = decompress_section(*bytes);
  if (!plain) return tl::unexpected(std::move(plain.error()));
  Content content;
  content.owner = std::make_shared<const std::vector<uint8_t>>(std::move(*plain));
  content.bytes = *content.owner;
  return content;
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
    if (strings.type != SHT_STRTAB) return fail(fmt::format("{} is damaged", name));
    auto symbols = content_of(image, section);
    if (!symbols) return fail(fmt::format("{} {}", name, symbols.error().message));
    auto texts = content_of(image, strings);
    if (!texts) return fail(fmt::format("the strings of {} {}", name, texts.error().message));
    return of_bytes(symbols->bytes, texts->bytes,
                    std::make_shared<const std::pair<Content, Content>>(*symbols, *texts));
  }
  return fail(fmt::format("no {}", name));
}

SymbolTable SymbolTable::of_bytes(std::span<const uint8_t> symbols,
                                  std::span<const uint8_t> strings,
                                  std::shared_ptr<const void> owner) {
  return SymbolTable(symbols, strings).kept_by(std::move(owner));
}

SymbolTable SymbolTable::kept_by(std::shared_ptr<const void> owner) const {
  SymbolTable table = *this;
  // What was kept before must stay.
  using Both = std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>;
  table.owner_ = owner_ ? std::make_shared<const Both>(owner_, std::move(owner)) : std::move(owner);
  return table;
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
                .version = {},
                .address = entry->st_value,
                .size = entry->st_size,
                .kind = to_kind(entry->st_info),
                .is_defined = entry->st_shndx != SHN_UNDEF && entry->st_value != 0,
                .is_local = ELF64_ST_BIND(entry->st_info) == STB_LOCAL,
                .is_weak = ELF64_ST_BIND(entry->st_info) == STB_WEAK};
  const size_t at = symbol.name.find('@');
  if (at != std::string_view::npos) {
    symbol.version = symbol.name.substr(at);
    symbol.name = symbol.name.substr(0, at);
  }
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

std::vector<uint32_t> SymbolTable::at_addresses(std::span<const uint64_t> addresses) const {
  return select([&](const Elf64_Sym& entry) {
    return std::binary_search(addresses.begin(), addresses.end(), entry.st_value);
  });
}

}  // namespace dbtrace::symbols
