// A database's catalog as the server has written it to its files: without asking the server, and
// without what it has not written yet (it does with every checkpoint).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiles/postgres/catalog.h"
#include "profiles/postgres/data_folder.h"

namespace dbtrace::profiles::postgres {

struct CatalogFiles {
  NamesByFile names;
  // What was read, and how it was then.
  std::vector<std::string> files;
  std::vector<FileStamp> stamps;
};

// `database` as DataFolder::database() has it. A file beyond 64 MB (some 300,000 relations) is
// not read to its end. None: nothing can be read, or the version is unknown.
[[nodiscard]] std::optional<CatalogFiles> read_catalog(const DataFolder& data, uint32_t database);

// Whether it is worth the while to read again.
[[nodiscard]] bool has_changed(const DataFolder& data, uint32_t database,
                               const CatalogFiles& known);

// What databases are called, by their oids, as far as the server has written it.
[[nodiscard]] NamedObjects read_databases(const DataFolder& data);

}  // namespace dbtrace::profiles::postgres
