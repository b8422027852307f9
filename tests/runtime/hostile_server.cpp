#include "tests/runtime/hostile_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>
#include <utility>

namespace dbtrace::testing {
namespace {

using namespace std::string_literals;

std::string big_endian(uint32_t number, size_t bytes) {
  std::string text;
  while (bytes-- > 0) text += static_cast<char>(number >> (8 * bytes));
  return text;
}

uint32_t number_in(std::string_view big_endian) {
  uint32_t number = 0;
  for (const char byte : big_endian) number = number << 8 | static_cast<uint8_t>(byte);
  return number;
}

}  // namespace

HostileServer::HostileServer(Script script) : script_(std::move(script)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener_, generic, size) != 0 || ::listen(listener_, 8) != 0 ||
      ::getsockname(listener_, generic, &size) != 0)
    throw std::runtime_error("cannot listen on a port");
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

HostileServer::~HostileServer() {
  over_ = true;
  ::shutdown(listener_, SHUT_RDWR);
  ::shutdown(client_, SHUT_RDWR);
  thread_.join();
  ::close(listener_);
}

std::string HostileServer::received() const {
  const std::lock_guard lock(mutex_);
  return received_;
}

void HostileServer::serve() {
  for (;;) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    client_ = socket;
    Peer peer(*this, socket);
    if (!over_) script_(peer);
    client_ = -1;
    ::close(socket);
  }
}

bool HostileServer::Peer::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

bool HostileServer::Peer::drip(std::string_view bytes) {
  for (const char& byte : bytes) {
    if (server_.over_ || !send({&byte, 1})) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

std::string HostileServer::Peer::receive(size_t count) {
  std::string bytes(count, '\0');
  const ssize_t got = ::recv(socket_, bytes.data(), count, MSG_WAITALL);
  if (got != static_cast<ssize_t>(count)) return "";
  const std::lock_guard lock(server_.mutex_);
  server_.received_ += bytes;
  return bytes;
}

void HostileServer::Peer::wait_until_gone() {
  while (!receive(1).empty()) {
  }
}

std::string postgres_message(char type, std::string_view body) {
  return type + big_endian(static_cast<uint32_t>(body.size()) + 4, 4) + std::string(body);
}

std::string postgres_notice() {
  return postgres_message('N',
                          "SWARNING\0VWARNING\0C00000\0M\x1b]0;title\x07\x1b[2J forged\n\0\0"s);
}

std::string postgres_columns() {
  return postgres_message('T', "\0\1a\0"s + big_endian(0, 4) + big_endian(0, 2) + "\0\0\0\x19"s +
                                   "\xff\xff\xff\xff\xff\xff"s + big_endian(0, 2));
}

std::string postgres_row(std::string_view value) {
  return postgres_message(
      'D', "\0\1"s + big_endian(static_cast<uint32_t>(value.size()), 4) + std::string(value));
}

std::string postgres_end() {
  return postgres_message('C', "SELECT 1\0"s) + postgres_message('Z', "I");
}

void act_as_postgres(HostileServer::Peer& peer, const Answer& answer, std::string_view login) {
  for (;;) {
    const std::string size = peer.receive(4);
    if (size.empty()) return;
    peer.receive(number_in(size) - 4);
    if (number_in(size) != 8) break;
    peer.send("N");  // no encryption
  }
  if (!login.empty()) {
    peer.send(login);
    peer.wait_until_gone();
    return;
  }
  peer.send(postgres_message('R', big_endian(0, 4)) + postgres_notice() +
            postgres_message('Z', "I"));
  while (peer.receive(1) == "Q") {
    peer.receive(number_in(peer.receive(4)) - 4);
    answer(peer);
  }
}

std::string mysql_packet(uint8_t number, std::string_view body) {
  const std::string size = big_endian(static_cast<uint32_t>(body.size()), 3);
  return {std::string(size.rbegin(), size.rend()) + static_cast<char>(number) + std::string(body)};
}

std::string mysql_greeting() {
  return mysql_packet(0,
                      "\x0a"
                      "5.5.5-10.11.0\0\7\0\0\0abcdefgh\0"s  // capabilities: 0x8a820f
                      "\x0f\xa2\x21\2\0\x0a\0\x15"s +
                          std::string(10, '\0') + "ijklmnopqrst\0mysql_native_password\0"s);
}

std::string mysql_columns() {
  return mysql_packet(1, "\1") +
         mysql_packet(2, "\3def\0\0\0\1a\1a\x0c\x21\0\x64\0\0\0\xfd\0\0\0\0\0"s) +
         mysql_packet(3, "\xfe\0\0\2\0"s);
}

void act_as_mysql(HostileServer::Peer& peer, const Answer& answer, std::string_view login) {
  const auto receive = [&peer] {
    const std::string head = peer.receive(4);
    return head.empty() ? "" : peer.receive(number_in(std::string{head[2], head[1], head[0]}));
  };
  peer.send(mysql_greeting());
  receive();
  if (!login.empty()) {
    peer.send(mysql_packet(2, login));
    peer.wait_until_gone();
    return;
  }
  peer.send(mysql_packet(2, "\0\0\0\2\0\0\0"s));
  while (receive().starts_with('\3')) answer(peer);
}

}  // namespace dbtrace::testing
