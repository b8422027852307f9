// A symbol among many that match, and how it compares with others.
// For the files of this room only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "symbols/clone.h"
#include "symbols/demangle.h"
#include "symbols/location.h"
#include "symbols/symbol_table.h"
#include "symbols/symbol_versions.h"

namespace dbtrace::symbols {

[[nodiscard]] inline FunctionKind kind_of(const Symbol& symbol) {
  if (symbol.kind == SymbolKind::Resolver) return FunctionKind::Ifunc;
  switch (clone_kind(clone_suffix(symbol.name))) {
    case CloneKind::Cold:
      return FunctionKind::Cold;
    case CloneKind::Part:
      return FunctionKind::Part;
    case CloneKind::Instance:
      return FunctionKind::Clone;
    case CloneKind::Renamed:
      break;
  }
  return symbol.kind == SymbolKind::Untyped ? FunctionKind::Label : FunctionKind::Function;
}

// A symbol of one of the tables, as long as those live.
struct Hit {
  Symbol symbol;
  SymbolVersion version;
  FunctionKind kind = FunctionKind::Function;
  size_t table = 0;
};

// The better name of an address comes first.
[[nodiscard]] inline auto rank(const Hit& hit) {
  const size_t leading = std::min(hit.symbol.name.find_first_not_of('_'), hit.symbol.name.size());
  return std::tuple(hit.kind, !hit.version.is_default, hit.symbol.is_local, hit.symbol.is_weak,
                    hit.symbol.name.starts_with("_Z") ? 0 : leading, hit.table);
}

// What makes two symbols one, whichever tables they stand in.
[[nodiscard]] inline auto key(const Hit& hit) {
  return std::tuple(hit.symbol.address, hit.symbol.name, hit.version.name);
}

}  // namespace dbtrace::symbols
