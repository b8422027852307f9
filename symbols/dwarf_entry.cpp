#include "symbols/dwarf_entry.h"

#include <dwarf.h>

#include <optional>

#include "symbols/demangle.h"

namespace dbtrace::symbols {
namespace {

// Namespaces and classes in each other.
constexpr size_t kMaxDepth = 64;

std::string_view text_of(Dwarf_Die* entry, unsigned attribute_name) {
  Dwarf_Attribute attribute;
  const char* text = ::dwarf_formstring(::dwarf_attr_integrate(entry, attribute_name, &attribute));
  return text == nullptr ? std::string_view{} : text;
}

std::string_view linkage_name(Dwarf_Die* entry) {
  for (const unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name})
    if (const auto text = text_of(entry, name); !text.empty()) return text;
  return {};
}

// Where a function is declared: what its own entry refers to, step by step.
Dwarf_Die declaration_of(Dwarf_Die entry) {
  for (size_t steps = 0; steps < kMaxDepth; ++steps) {
    Dwarf_Attribute attribute;
    Dwarf_Die next;
    const bool refers =
        ::dwarf_formref_die(::dwarf_attr(&entry, DW_AT_abstract_origin, &attribute), &next) ||
        ::dwarf_formref_die(::dwarf_attr(&entry, DW_AT_specification, &attribute), &next);
    if (!refers) break;
    entry = next;
  }
  return entry;
}

// What a scope adds to the names in it; "" for what adds nothing.
std::string scope_name(Dwarf_Die* entry) {
  switch (::dwarf_tag(entry)) {
    case DW_TAG_namespace: {
      const std::string_view name = text_of(entry, DW_AT_name);
      return name.empty() ? "(anonymous namespace)" : std::string(name);
    }
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_enumeration_type:
      return std::string(text_of(entry, DW_AT_name));
    default:
      return {};
  }
}

// The scopes around an entry, with "::" behind each. Entries lie in their file in the order of a
// walk through their tree: whatever begins last before another is around it or beside it.
std::string scope_of(Dwarf_Die* entry) {
  std::string scope;
  Dwarf_Die parent;
  if (::dwarf_diecu(entry, &parent, nullptr, nullptr) == nullptr) return scope;
  const Dwarf_Off target = ::dwarf_dieoffset(entry);
  for (size_t depth = 0; depth < kMaxDepth; ++depth) {
    std::optional<Dwarf_Die> around;
    each_child(&parent, [&](Dwarf_Die* child) {
      if (::dwarf_dieoffset(child) >= target) return false;
      around = *child;
      return true;
    });
    if (!around) break;
    if (const std::string name = scope_name(&*around); !name.empty()) scope += name + "::";
    parent = *around;
  }
  return scope;
}

}  // namespace

std::string_view raw_name(Dwarf_Die* entry) {
  const std::string_view linkage = linkage_name(entry);
  return linkage.empty() ? text_of(entry, DW_AT_name) : linkage;
}

std::string short_name_of(Dwarf_Die* entry) {
  if (const auto linkage = linkage_name(entry); !linkage.empty()) return short_name(linkage);
  const std::string_view name = text_of(entry, DW_AT_name);
  if (name.empty()) return {};
  Dwarf_Die declaration = declaration_of(*entry);
  // DWARF has template arguments in names, short names do not.
  return short_form(scope_of(&declaration) + std::string(name));
}

}  // namespace dbtrace::symbols
