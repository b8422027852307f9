// A database's catalog by asking the server, with libpq: what it has not written to its files,
// too. Whoever asks is another client: one session at a time, read only, with bounded patience.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "profiles/postgres/catalog.h"
#include "symbols/result.h"

namespace dbtrace::profiles::postgres {

// Not thread-safe. Everything waits for the server, for a few seconds at most, and gives up soon
// when a stop is requested.
class ServerCatalog {
 public:
  virtual ~ServerCatalog() = default;
  // DataFolder::system_identifier() of the server that answers. Errors: none does.
  [[nodiscard]] virtual Result<uint64_t> identify(const std::stop_token& stop) = 0;
  // Catalog::names() of the database with this oid, or (0) of what all share.
  [[nodiscard]] virtual std::optional<NamesByFile> names(uint32_t database,
                                                         const std::stop_token& stop) = 0;
};

// Connects to nothing yet. Errors, which never show what may be a password: `connection` is no
// connection string, or dbtrace was built without libpq.
[[nodiscard]] Result<std::unique_ptr<ServerCatalog>> server_catalog(const std::string& connection);

}  // namespace dbtrace::profiles::postgres
