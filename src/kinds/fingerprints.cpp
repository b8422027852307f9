#include "src/kinds/fingerprints.h"

#include <utility>

namespace dbtrace::kinds {

using sql::Dialect;
using sql::Fingerprinter;

Dialect dialect_of(const model::Query& query) {
  constexpr std::pair<std::string_view, Dialect> kDialects[] = {{"mariadb", Dialect::MariaDb},
                                                                {"postgres", Dialect::PostgreSql}};
  for (const auto& [flavor, dialect] : kDialects)
    if (query.flavor == flavor) return dialect;
  return Dialect::MySql;
}

Fingerprints::Fingerprints(sql::FingerprintMode mode)
    : by_dialect_{Fingerprinter(mode, {.dialect = Dialect::MySql}),
                  Fingerprinter(mode, {.dialect = Dialect::MariaDb}),
                  Fingerprinter(mode, {.dialect = Dialect::PostgreSql})} {}

sql::Fingerprint Fingerprints::of(const model::Query& query, std::string_view text) {
  return by_dialect_[static_cast<size_t>(dialect_of(query))].of(text, query.truncated());
}

}  // namespace dbtrace::kinds
