#include "symbols/function_ranges.h"

#include <elf.h>

#include <algorithm>
#include <tuple>

#include "symbols/elf_image.h"
#include "symbols/symbol_table.h"
#include "symbols/table_set.h"

namespace dbtrace::symbols {
namespace {

using Range = NamedRanges::Range;

// More symbols than a browser with debug symbols has.
constexpr size_t kMaxSymbols = 4U << 20;

enum Tier : uint32_t { kSized, kUnsized, kLabel };

struct Area {
  uint64_t start = 0;
  uint64_t end = 0;
};

// Where code lies at link time: sections, as a function ends with its section;
// segments in a file without section headers.
std::vector<Area> code_areas(const ElfFile& binary) {
  std::vector<Area> areas;
  const auto add = [&areas](uint64_t start, uint64_t size) {
    if (size != 0 && size <= UINT64_MAX - start) areas.push_back({start, start + size});
  };
  for (const Section& section : image_of(binary).sections) {
    const bool is_code = (section.flags & SHF_EXECINSTR) != 0 && (section.flags & SHF_ALLOC) != 0;
    if (is_code) add(section.address, section.size);
  }
  if (areas.empty()) {
    for (const Segment& segment : binary.executable_segments())
      add(segment.address, segment.file_size);
  }
  std::sort(areas.begin(), areas.end(),
            [](const Area& a, const Area& b) { return a.start < b.start; });
  return areas;
}

const Area* area_at(const std::vector<Area>& areas, uint64_t address) {
  const auto after = std::upper_bound(areas.begin(), areas.end(), address,
                                      [](uint64_t a, const Area& area) { return a < area.start; });
  if (after == areas.begin()) return nullptr;
  const Area& area = *std::prev(after);
  return address < area.end ? &area : nullptr;
}

Tier tier_of(const Symbol& symbol) {
  if (symbol.kind == SymbolKind::Untyped) return kLabel;
  return symbol.size == 0 ? kUnsized : kSized;
}

// What the tables of one binary and its debug file say together.
class Collector {
 public:
  explicit Collector(const ElfFile& binary) : areas_(code_areas(binary)) {}

  [[nodiscard]] Result<void> add(const SymbolTable& table) {
    count_ += table.size();
    if (count_ > kMaxSymbols) return fail("has too many symbols");
    for (size_t i = 0; i < table.size(); ++i) {
      const Symbol symbol = table.at(i);
      characters_ += symbol.name.size();
      if (characters_ > NamedRanges::kMaxCharacters) return fail("has too long names");
      add(symbol);
    }
    return {};
  }

  [[nodiscard]] Result<NamedRanges> finish() {
    end_unsized();
    // One function in two tables: the better entry, or the first.
    std::stable_sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) {
      return std::tie(a.start, a.name, a.tier) < std::tie(b.start, b.name, b.tier);
    });
    const auto is_same = [](const Range& a, const Range& b) {
      return a.start == b.start && a.name == b.name;
    };
    ranges_.erase(std::unique(ranges_.begin(), ranges_.end(), is_same), ranges_.end());
    return NamedRanges::build(std::move(ranges_), Overlap::Innermost);
  }

 private:
  void add(const Symbol& symbol) {
    if (!symbol.is_defined || symbol.name.empty() || is_mapping_symbol(symbol)) return;
    const Area* area = area_at(areas_, symbol.address);
    if (area == nullptr) return;
    boundaries_.push_back(symbol.address);
    if (symbol.kind == SymbolKind::Data || symbol.kind == SymbolKind::ThreadLocal ||
        symbol.kind == SymbolKind::Other)
      return;
    const uint64_t room = area->end - symbol.address;
    const uint64_t size = std::min(symbol.size == 0 ? room : symbol.size, room);
    if (symbol.size == 0) unsized_.push_back(ranges_.size());
    ranges_.push_back({.start = symbol.address,
                       .end = symbol.address + size,
                       .name = symbol.name,
                       .tier = tier_of(symbol)});
  }

  void end_unsized() {
    std::sort(boundaries_.begin(), boundaries_.end());
    for (const size_t index : unsized_) {
      Range& range = ranges_[index];
      const auto next = std::upper_bound(boundaries_.begin(), boundaries_.end(), range.start);
      if (next != boundaries_.end()) range.end = std::min(range.end, *next);
    }
  }

  std::vector<Area> areas_;
  std::vector<Range> ranges_;
  std::vector<size_t> unsized_;       // indexes in ranges_
  std::vector<uint64_t> boundaries_;  // where anything begins
  size_t count_ = 0;
  size_t characters_ = 0;
};

}  // namespace

Result<NamedRanges> functions_by_address(ElfFile binary, const FinderOptions* debug_files) {
  TableSet tables(std::move(binary), debug_files ? *debug_files : FinderOptions());
  Collector collector(tables.binary());
  bool is_complete = debug_files == nullptr;
  for (size_t i = 0; !is_complete || i < tables.opened().size(); ++i) {
    const Table* table = tables.at(i);
    if (table == nullptr) break;
    if (auto added = collector.add(table->symbols); !added) return tl::unexpected(added.error());
    is_complete = is_complete || !table->is_dynamic;
  }
  return collector.finish();
}

}  // namespace dbtrace::symbols
