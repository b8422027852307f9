// A connection to a database server, as any client has one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "profiles/patience.h"
#include "profiles/profile.h"
#include "symbols/result.h"

namespace dbtrace::client {

// Empty and 0: what the client's own library takes from its files and its environment, as the
// servers' programs do (MySQL: group [client] of the option files; PostgreSQL: PGHOST and the
// like).
struct Address {
  std::string socket;  // MySQL: the socket; PostgreSQL: that, or its folder
  std::string host;
  uint16_t port = 0;
  std::string user;
  std::string database;
  std::string password;
};

struct Answer {
  std::string value;  // of the row's column; "" when it is null, or there is none
  uint64_t rows = 0;  // 1 at most
};

// Not thread-safe. The server may be any program that listens there: whatever it answers, or
// does not, is an error at worst, once the patience is over.
class Client {
 public:
  Client() = default;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  virtual ~Client() = default;

  // Has the server carry out one statement, with one column and at most one row. After an error
  // nothing more can be asked. Errors: what the server says.
  [[nodiscard]] virtual Result<Answer> ask(const std::string& statement,
                                           const profiles::Patience& patience) = 0;
};

// Errors: what the server says, or that the library is not there, and in which package it is.
[[nodiscard]] Result<std::unique_ptr<Client>> connect(profiles::Protocol protocol,
                                                      const Address& address,
                                                      const profiles::Patience& patience);

}  // namespace dbtrace::client
