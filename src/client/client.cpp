#include "src/client/client.h"

#include "src/client/clients.h"

namespace dbtrace::client {

Result<std::unique_ptr<Client>> connect(profiles::Protocol protocol, const Address& address) {
  switch (protocol) {
    case profiles::Protocol::MySql:
      return connect_mysql(address);
    case profiles::Protocol::Postgres:
      return connect_postgres(address);
    case profiles::Protocol::Unknown:
      break;
  }
  return fail("dbtrace knows no client for this server");
}

}  // namespace dbtrace::client
