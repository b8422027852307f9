#include "tests/runtime/postgres_wire.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <stdexcept>

namespace dbtrace::testing {
namespace {

std::string number(uint32_t value) {
  const uint32_t bytes = htonl(value);
  return {reinterpret_cast<const char*>(&bytes), sizeof(bytes)};
}

uint32_t number_in(const std::string& bytes, size_t at) {
  uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return ntohl(value);
}

std::string text(const std::string& value) { return value + '\0'; }

const std::string kNone(2, '\0');  // a list without entries

void send_all(int socket, const std::string& bytes) {
  for (size_t sent = 0; sent < bytes.size();) {
    const ssize_t size = ::send(socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (size <= 0) throw std::runtime_error("cannot send to PostgreSQL");
    sent += static_cast<size_t>(size);
  }
}

std::string receive(int socket, size_t size) {
  std::string bytes(size, '\0');
  if (size && ::recv(socket, bytes.data(), size, MSG_WAITALL) != static_cast<ssize_t>(size))
    throw std::runtime_error("PostgreSQL has gone");
  return bytes;
}

}  // namespace

PgWire::PgWire(const Postgres& server) : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  const std::string path = server.socket_folder() + "/.s.PGSQL.5432";
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  if (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
    throw std::runtime_error("cannot connect to PostgreSQL");
  constexpr uint32_t kProtocol3 = 3 << 16;
  const std::string startup = number(kProtocol3) + text("user") + text("postgres") + text("");
  send_all(socket_.get(), number(static_cast<uint32_t>(startup.size()) + 4) + startup);
  answers();
}

void PgWire::message(char type, const std::string& body) {
  waiting_ += type + number(static_cast<uint32_t>(body.size()) + 4) + body;
}

PgWire& PgWire::parse(const std::string& statement, const std::string& sql) {
  message('P', text(statement) + text(sql) + kNone);
  return *this;
}

PgWire& PgWire::bind(const std::string& portal, const std::string& statement) {
  message('B', text(portal) + text(statement) + kNone + kNone + kNone);
  return *this;
}

PgWire& PgWire::execute(const std::string& portal, uint32_t most_rows) {
  message('E', text(portal) + number(most_rows));
  return *this;
}

std::string PgWire::sync() {
  message('S', "");
  send_all(socket_.get(), std::exchange(waiting_, {}));
  return answers();
}

std::string PgWire::answers() {
  std::string types;
  while (types.empty() || types.back() != 'Z') {
    const std::string head = receive(socket_.get(), 5);
    const std::string body = receive(socket_.get(), number_in(head, 1) - 4);
    types += head[0];
    if (head[0] == 'K') pid_ = static_cast<pid_t>(number_in(body, 0));  // BackendKeyData
  }
  return types;
}

}  // namespace dbtrace::testing
