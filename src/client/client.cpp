#include "src/client/client.h"

#include "src/client/clients.h"

namespace dbtrace::client {

Result<std::unique_ptr<Client>> connect(profiles::Protocol protocol, const Address& address,
                                        const profiles::Patience& patience) {
  switch (protocol) {
    case profiles::Protocol::MySql:
      return connect_mysql(address, patience);
    case profiles::Protocol::Postgres:
      return connect_postgres(address, patience);
    case profiles::Protocol::Unknown:
      break;
  }
  return fail("dbtrace knows no client for this server");
}

}  // namespace dbtrace::client
