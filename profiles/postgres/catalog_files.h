// A database's catalog as the server has written it to its files: without asking the server, and
// without what it has not written yet (it does with every checkpoint).
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>

#include "profiles/postgres/catalog.h"
#include "profiles/postgres/data_folder.h"

namespace dbtrace::profiles::postgres {

// What was read, and how it was then.
struct ReadFiles {
  FileStamps own;           // of the database
  FileStamps shared;        // by all databases
  FileStamps transactions;  // that were not decided yet
};

struct CatalogFiles {
  NamesByFile names;
  ReadFiles read;
};

// `database` as DataFolder::database() has it. None: nothing can be read, the version is unknown,
// or `stop` came before the end.
[[nodiscard]] std::optional<CatalogFiles> read_catalog(const DataFolder& data, uint32_t database,
                                                       const std::stop_token& stop);

struct DatabaseNames {
  NamedObjects names;  // by the databases' oids
  ReadFiles read;
};
// None: as above.
[[nodiscard]] std::optional<DatabaseNames> read_databases(const DataFolder& data,
                                                          const std::stop_token& stop);

// Whether it is worth the while to read again. `database`: whose catalog was read.
[[nodiscard]] bool has_changed(const DataFolder& data, uint32_t database, const ReadFiles& known);

}  // namespace dbtrace::profiles::postgres
