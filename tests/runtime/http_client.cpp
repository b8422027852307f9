#include "tests/runtime/http_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <stdexcept>

namespace dbtrace::testing {
namespace {

sockaddr_in loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

}  // namespace

HttpConnection::HttpConnection(uint16_t port, int receive_buffer)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  if (receive_buffer)
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof(receive_buffer));
  const sockaddr_in address = loopback(port);
  if (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
    throw std::runtime_error("nobody listens at port " + std::to_string(port));
}

bool HttpConnection::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent =
        ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

std::string HttpConnection::receive(std::chrono::milliseconds patience) {
  std::string all;
  std::array<char, 65536> bytes;
  pollfd ready{socket_.get(), POLLIN, 0};
  while (::poll(&ready, 1, static_cast<int>(patience.count())) == 1) {
    const ssize_t count = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
    if (count <= 0) break;
    all.append(bytes.data(), static_cast<size_t>(count));
  }
  return all;
}

bool HttpConnection::is_closed(std::chrono::milliseconds patience) {
  pollfd ready{socket_.get(), POLLIN | POLLRDHUP, 0};
  char byte = 0;
  while (::poll(&ready, 1, static_cast<int>(patience.count())) == 1)
    if (::recv(socket_.get(), &byte, 1, MSG_DONTWAIT) <= 0) return true;
  return false;
}

HttpAnswer http_get(uint16_t port, const std::string& path) {
  HttpConnection connection(port);
  connection.send("GET " + path + " HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n");
  const std::string all = connection.receive();
  const size_t end = all.find("\r\n\r\n");
  if (!all.starts_with("HTTP/1.") || end == std::string::npos) return {};
  return {std::stoi(all.substr(9, 3)), all.substr(0, end), all.substr(end + 4)};
}

uint16_t free_port() {
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof(address);
  ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), size);
  ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

}  // namespace dbtrace::testing
