// Where there is no libpq to build with.
#include "profiles/postgres/server_catalog.h"

namespace dbtrace::profiles::postgres {

Result<std::unique_ptr<ServerCatalog>> server_catalog(const std::string&) {
  return fail("this dbtrace cannot ask PostgreSQL: it was built without libpq",
              "install libpq-dev and build it again");
}

}  // namespace dbtrace::profiles::postgres
