#include "symbols/inlined.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <set>
#include <string_view>

#include "symbols/demangle.h"
#include "symbols/unique.h"

namespace dbtrace::symbols {
namespace {

// A server with all its plugins has some 50 million entries.
constexpr size_t kMaxEntries = 200'000'000;
constexpr size_t kMaxDepth = 256;

struct DwarfTraits {
  using Handle = ::Dwarf*;
  static ::Dwarf* none() { return nullptr; }
  static void release(::Dwarf* dwarf) { ::dwarf_end(dwarf); }
};

std::string_view text_of(Dwarf_Die* entry, unsigned attribute_name) {
  Dwarf_Attribute attribute;
  const char* text = ::dwarf_formstring(::dwarf_attr_integrate(entry, attribute_name, &attribute));
  return text == nullptr ? std::string_view{} : text;
}

// The raw name of a function's entry; compilers write it only where it differs
// from the plain one.
std::string_view raw_name(Dwarf_Die* entry) {
  for (const unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name})
    if (const auto text = text_of(entry, name); !text.empty()) return text;
  return {};
}

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
    Dwarf_Die entry;
    if (depth > kMaxDepth || ::dwarf_child(parent, &entry) != 0) return;
    do {
      if (++entries_ > kMaxEntries) return;
      if (visit(&entry)) walk(&entry, visit, depth + 1);
    } while (::dwarf_siblingof(&entry, &entry) == 0);
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
  const Unique<DwarfTraits> dwarf(::dwarf_begin(descriptor.get(), DWARF_C_READ));
  if (!dwarf) return std::nullopt;
  return Search(dwarf.get(), pattern).run();
}

}  // namespace dbtrace::symbols
