#include "symbols/source_lines.h"

#include <dwarf.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "symbols/dwarf_entry.h"

namespace dbtrace::symbols {
namespace {

// Blocks in each other; the compiler's own limits are lower.
constexpr size_t kMaxDepth = 256;
// Ranges of code in one file: a server with all its plugins has some 500,000.
constexpr size_t kMaxRanges = 4U << 20;
// Entries of one unit of compilation: the largest of MySQL has 600,000.
constexpr size_t kMaxEntries = 8U << 20;
// Rows of line tables and ranges of functions that are kept, at 40 bytes each.
constexpr size_t kMaxKept = 2U << 20;
constexpr size_t kMaxAnswers = 16'384;

// The addresses [start, end) belong to an entry, given by its offset.
struct Range {
  uint64_t start = 0;
  uint64_t end = 0;
  Dwarf_Off entry = 0;
};

class Ranges {
 public:
  void add(Dwarf_Die* entry) {
    Dwarf_Addr base = 0;
    Dwarf_Addr start = 0;
    Dwarf_Addr end = 0;
    ptrdiff_t at = 0;
    const Dwarf_Off offset = ::dwarf_dieoffset(entry);
    // At 0 is what the linker threw away.
    while (ranges_.size() < kMaxRanges &&
           (at = ::dwarf_ranges(entry, at, &base, &start, &end)) > 0) {
      if (start != 0 && start < end) ranges_.push_back({start, end, offset});
    }
  }
  void sort() {
    std::stable_sort(ranges_.begin(), ranges_.end(),
                     [](const Range& a, const Range& b) { return a.start < b.start; });
  }
  [[nodiscard]] std::optional<Dwarf_Off> at(uint64_t address) const {
    const auto after =
        std::upper_bound(ranges_.begin(), ranges_.end(), address,
                         [](uint64_t a, const Range& range) { return a < range.start; });
    if (after == ranges_.begin() || address >= std::prev(after)->end) return std::nullopt;
    return std::prev(after)->entry;
  }
  [[nodiscard]] size_t size() const { return ranges_.size(); }

 private:
  std::vector<Range> ranges_;  // by ascending start, once sorted
};

// A unit of compilation.
struct Unit {
  Dwarf_Die entry{};
  Ranges functions;
};

std::string base_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

std::string line_text(const char* path, int line) {
  if (path == nullptr) return {};
  return line > 0 ? fmt::format("{}:{}", base_name(path), line) : base_name(path);
}

}  // namespace

struct SourceLines::Impl {
  [[nodiscard]] bool open();
  [[nodiscard]] Unit& unit_at(Dwarf_Off offset);
  void add_functions(Unit& unit, Dwarf_Die* parent, size_t depth, size_t& entries);
  [[nodiscard]] std::vector<SourceFrame> find(uint64_t address);
  [[nodiscard]] static std::vector<Dwarf_Die> functions_at(Dwarf_Die function, uint64_t address);

  UniqueFd file;
  UniqueDwarf dwarf;
  Ranges units;
  std::unordered_map<Dwarf_Off, Unit> known;
  size_t kept = 0;
  std::unordered_map<uint64_t, std::vector<SourceFrame>> answers;
};

bool SourceLines::Impl::open() {
  known.clear();
  kept = 0;
  dwarf.reset(::dwarf_begin(file.get(), DWARF_C_READ));
  return dwarf.valid();
}

void SourceLines::Impl::add_functions(Unit& unit, Dwarf_Die* parent, size_t depth,
                                      size_t& entries) {
  if (depth > kMaxDepth) return;
  each_child(parent, [&](Dwarf_Die* entry) {
    if (++entries > kMaxEntries) return false;
    const int tag = ::dwarf_tag(entry);
    if (tag == DW_TAG_subprogram) unit.functions.add(entry);
    // Functions of local classes lie inside others.
    if (tag != DW_TAG_inlined_subroutine) add_functions(unit, entry, depth + 1, entries);
    return true;
  });
}

Unit& SourceLines::Impl::unit_at(Dwarf_Off offset) {
  const auto [found, is_new] = known.try_emplace(offset);
  Unit& unit = found->second;
  if (!is_new || ::dwarf_offdie(dwarf.get(), offset, &unit.entry) == nullptr) return unit;
  size_t entries = 0;
  add_functions(unit, &unit.entry, 0, entries);
  unit.functions.sort();
  Dwarf_Lines* lines = nullptr;
  size_t count = 0;
  ::dwarf_getsrclines(&unit.entry, &lines, &count);
  kept += unit.functions.size() + count;
  return unit;
}

// The function itself, then what is inlined into it, and into that.
std::vector<Dwarf_Die> SourceLines::Impl::functions_at(Dwarf_Die function, uint64_t address) {
  std::vector<Dwarf_Die> chain = {function};
  Dwarf_Die around = function;
  for (size_t depth = 0; depth < kMaxDepth; ++depth) {
    std::optional<Dwarf_Die> inner;
    each_child(&around, [&](Dwarf_Die* child) {
      const int tag = ::dwarf_tag(child);
      const bool holds_code = tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block;
      if (holds_code && ::dwarf_haspc(child, address) == 1) inner = *child;
      return !inner;
    });
    if (!inner) break;
    if (::dwarf_tag(&*inner) == DW_TAG_inlined_subroutine) chain.push_back(*inner);
    around = *inner;
  }
  return chain;
}

std::vector<SourceFrame> SourceLines::Impl::find(uint64_t address) {
  const auto offset = units.at(address);
  if (!offset) return {};
  if (kept > kMaxKept && !known.contains(*offset) && !open()) return {};
  Unit& unit = unit_at(*offset);
  int number = 0;
  Dwarf_Line* row = ::dwarf_getsrc_die(&unit.entry, address);
  if (row != nullptr) ::dwarf_lineno(row, &number);
  std::string line =
      line_text(row == nullptr ? nullptr : ::dwarf_linesrc(row, nullptr, nullptr), number);

  std::vector<SourceFrame> frames;
  Dwarf_Die function;
  const auto entry = unit.functions.at(address);
  if (!entry || ::dwarf_offdie(dwarf.get(), *entry, &function) == nullptr) {
    if (!line.empty()) frames.push_back({{}, std::move(line)});
    return frames;
  }
  std::vector<Dwarf_Die> chain = functions_at(function, address);
  Dwarf_Files* files = nullptr;
  size_t count = 0;
  ::dwarf_getsrcfiles(&unit.entry, &files, &count);
  const auto constant = [](Dwarf_Die& die, unsigned name) {
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    return ::dwarf_formudata(::dwarf_attr(&die, name, &attribute), &value) == 0 ? value : 0;
  };
  for (auto inner = chain.rbegin(); inner != chain.rend(); ++inner) {
    frames.push_back({short_name_of(&*inner), std::move(line)});
    const Dwarf_Word file_index = constant(*inner, DW_AT_call_file);
    const char* path = files != nullptr && file_index < count
                           ? ::dwarf_filesrc(files, file_index, nullptr, nullptr)
                           : nullptr;
    line = line_text(path, static_cast<int>(constant(*inner, DW_AT_call_line)));
  }
  return frames;
}

SourceLines::SourceLines(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SourceLines::SourceLines(SourceLines&&) noexcept = default;
SourceLines& SourceLines::operator=(SourceLines&&) noexcept = default;
SourceLines::~SourceLines() = default;

Result<SourceLines> SourceLines::open(const ElfFile& file) {
  auto impl = std::make_unique<Impl>();
  // A descriptor of its own: libdw may change what it reads.
  impl->file = file.duplicate_fd();
  if (!impl->open()) return fail(fmt::format("{} has no debug information", file.name()));
  Dwarf_CU* unit = nullptr;
  Dwarf_Die top;
  uint8_t type = 0;
  while (::dwarf_get_units(impl->dwarf.get(), unit, &unit, nullptr, &type, &top, nullptr) == 0) {
    if (type == DW_UT_compile) impl->units.add(&top);
  }
  impl->units.sort();
  if (impl->units.size() == 0) {
    return fail(fmt::format("{} has no debug information", file.name()));
  }
  return SourceLines(std::move(impl));
}

const std::vector<SourceFrame>& SourceLines::at(uint64_t address) {
  auto& answers = impl_->answers;
  if (const auto known = answers.find(address); known != answers.end()) return known->second;
  if (answers.size() >= kMaxAnswers) answers.clear();
  return answers.emplace(address, impl_->find(address)).first->second;
}

}  // namespace dbtrace::symbols
