// PostgreSQL's messages themselves (manual: "Frontend/Backend Protocol"), for what libpq
// never sends: portals that are fetched in parts.
#pragma once

#include <cstdint>
#include <string>

#include "symbols/unique.h"
#include "tests/runtime/postgres.h"

namespace dbtrace::testing {

class PgWire {
 public:
  // A session of user and database postgres. Throws std::runtime_error when there is none.
  explicit PgWire(const Postgres& server);

  [[nodiscard]] pid_t pid() const { return pid_; }

  // Messages that are sent with the next sync().
  PgWire& parse(const std::string& statement, const std::string& sql);
  PgWire& bind(const std::string& portal, const std::string& statement);
  PgWire& execute(const std::string& portal, uint32_t most_rows);
  // Sends what is there and waits until the server is ready. The types of its answers:
  // "12DDsZ" for a Parse, a Bind, two rows, and a portal that is suspended.
  std::string sync();

 private:
  void message(char type, const std::string& body);
  std::string answers();

  UniqueFd socket_;
  std::string waiting_;
  pid_t pid_ = 0;
};

}  // namespace dbtrace::testing
