// The clients that there are. For the files of this room only.
#pragma once

#include <memory>

#include "src/client/client.h"

namespace dbtrace::client {

[[nodiscard]] Result<std::unique_ptr<Client>> connect_mysql(const Address& address,
                                                            const profiles::Patience& patience);
[[nodiscard]] Result<std::unique_ptr<Client>> connect_postgres(const Address& address,
                                                               const profiles::Patience& patience);

// nullptr for "".
[[nodiscard]] inline const char* or_default(const std::string& text) {
  return text.empty() ? nullptr : text.c_str();
}

// Without a client's headers.
[[nodiscard]] inline tl::unexpected<Error> built_without(const char* library, const char* package) {
  return fail(std::string("this dbtrace was built without ") + library,
              std::string("build it where ") + package + " is installed");
}

}  // namespace dbtrace::client
