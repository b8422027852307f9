// Entries (DIEs) of debug information, by libdw. For the files of this room only.
#pragma once

#include <elfutils/libdw.h>

#include <string>
#include <string_view>

#include "symbols/unique.h"

namespace dbtrace::symbols {

struct DwarfTraits {
  using Handle = ::Dwarf*;
  static ::Dwarf* none() { return nullptr; }
  static void release(::Dwarf* dwarf) { ::dwarf_end(dwarf); }
};
using UniqueDwarf = Unique<DwarfTraits>;

// Calls `visit` for each child; it says whether to go on.
template <typename Visit>
void each_child(Dwarf_Die* parent, Visit visit) {
  Dwarf_Die entry;
  if (::dwarf_child(parent, &entry) != 0) return;
  do {
    if (!visit(&entry)) return;
  } while (::dwarf_siblingof(&entry, &entry) == 0);
}

// The raw name of a function's entry, or its plain one where compilers leave the other
// out: in C, and for what other files cannot see. Lives as long as the Dwarf.
[[nodiscard]] std::string_view raw_name(Dwarf_Die* entry);

// The name of a function's entry as a person writes it: "THD::set_db"; "" when it has none.
[[nodiscard]] std::string short_name_of(Dwarf_Die* entry);

}  // namespace dbtrace::symbols
