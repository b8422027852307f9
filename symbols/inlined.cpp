#include "symbols/inlined.h"

#include <dwarf.h>

#include <set>
#include <string_view>

#include "symbols/demangle.h"
#include "symbols/dwarf_entry.h"

namespace dbtrace::symbols {
namespace {

// A server with all its plugins has some 50 million entries.
constexpr size_t kMaxEntries = 200'000'000;
constexpr size_t kMaxDepth = 256;

bool may_hold_functions(int tag) {
  switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
      return true;
    default:
      return false;
  }
}

class Search {
 public:
  Search(Dwarf* dwarf, const Pattern& pattern) : dwarf_(dwarf), pattern_(pattern) {}

  std::optional<Inlined> run() {
    each_unit([this](Dwarf_Die* entry) { return look_for_function(entry); });
    if (functions_.empty()) return std::nullopt;
    entries_ = 0;
    each_unit([this](Dwarf_Die* entry) { return count_site(entry); });
    return result_;
  }

 private:
  // Calls `visit` for every entry below the units'; it says whether to descend.
  template <typename Visit>
  void each_unit(Visit visit) {
    Dwarf_CU* unit = nullptr;
    Dwarf_Die top;
    uint8_t type = 0;
    while (::dwarf_get_units(dwarf_, unit, &unit, nullptr, &type, &top, nullptr) == 0) {
      const bool holds_code = type == DW_UT_compile || type == DW_UT_partial;
      if (holds_code) walk(&top, visit, 0);
    }
  }

  template <typename Visit>
  void walk(Dwarf_Die* parent, Visit& visit, size_t depth) {
    if (depth > kMaxDepth) return;
    each_child(parent, [&](Dwarf_Die* entry) {
      if (++entries_ > kMaxEntries) return false;
      if (visit(entry)) walk(entry, visit, depth + 1);
      return true;
    });
  }

  bool look_for_function(Dwarf_Die* entry) {
    const int tag = ::dwarf_tag(entry);
    if (tag != DW_TAG_subprogram) return may_hold_functions(tag);
    if (::dwarf_hasattr(entry, DW_AT_inline) == 0) return false;
    size_t cost = 0;
    const std::string_view raw = raw_name(entry);
    if (!pattern_.matches(raw, cost)) return false;
    functions_.insert(::dwarf_dieoffset(entry));
    if (result_.name.empty()) result_.name = demangle(raw).value_or(std::string(raw));
    return false;
  }

  bool count_site(Dwarf_Die* entry) {
    if (::dwarf_tag(entry) == DW_TAG_inlined_subroutine) {
      Dwarf_Attribute attribute;
      Dwarf_Die origin;
      if (::dwarf_formref_die(::dwarf_attr(entry, DW_AT_abstract_origin, &attribute), &origin) &&
          functions_.contains(::dwarf_dieoffset(&origin)))
        ++result_.sites;
    }
    return ::dwarf_haschildren(entry) > 0;
  }

  Dwarf* dwarf_;
  const Pattern& pattern_;
  std::set<Dwarf_Off> functions_;  // the entries that inlined copies refer to
  size_t entries_ = 0;
  Inlined result_;
};

}  // namespace

std::optional<Inlined> find_inlined(const ElfFile& file, const Pattern& pattern) {
  using Form = Pattern::Form;
  if (pattern.form() != Form::Name && pattern.form() != Form::Raw) return std::nullopt;
  // A descriptor of its own: libdw may change what it reads.
  const UniqueFd descriptor = file.duplicate_fd();
  const UniqueDwarf dwarf(::dwarf_begin(descriptor.get(), DWARF_C_READ));
  if (!dwarf) return std::nullopt;
  return Search(dwarf.get(), pattern).run();
}

}  // namespace dbtrace::symbols
