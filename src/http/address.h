// Where to listen, and whom to call.
#pragma once

#include <netinet/in.h>

#include <cstdint>
#include <string>

#include "symbols/result.h"
#include "symbols/unique.h"

namespace dbtrace::http {

// A plain value.
struct Address {
  sockaddr_in6 bytes{};  // a sockaddr_in where it is one
  socklen_t size = 0;

  [[nodiscard]] bool is_loopback() const;
  [[nodiscard]] uint16_t port() const;
  // "127.0.0.1:9104", "[::1]:9104"
  [[nodiscard]] std::string text() const;
};

// Of such a text. Names are not looked up: nobody but this machine is asked anything.
[[nodiscard]] Result<Address> parse_address(const std::string& text);

// A socket that listens there. Port 0: a free one.
[[nodiscard]] Result<UniqueFd> listen_at(const Address& address);
// Where a socket listens.
[[nodiscard]] Address address_of(int socket);

}  // namespace dbtrace::http
