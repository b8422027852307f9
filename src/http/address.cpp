#include "src/http/address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

namespace dbtrace::http {
namespace {

// Of connections that wait to be accepted.
constexpr int kBacklog = 128;

std::optional<uint16_t> port_of(std::string_view text) {
  uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return port;
}

sockaddr_in as_ipv4(const sockaddr_in6& bytes) {
  sockaddr_in address{};
  std::memcpy(&address, &bytes, sizeof(address));
  return address;
}

}  // namespace

bool Address::is_loopback() const {
  constexpr uint32_t kLoopbackNet = 127;
  if (bytes.sin6_family == AF_INET)
    return ntohl(as_ipv4(bytes).sin_addr.s_addr) >> 24 == kLoopbackNet;
  return IN6_IS_ADDR_LOOPBACK(&bytes.sin6_addr);
}

// It is at the same place in both.
uint16_t Address::port() const { return ntohs(bytes.sin6_port); }

std::string Address::text() const {
  std::array<char, INET6_ADDRSTRLEN> host{};
  if (bytes.sin6_family == AF_INET) {
    const sockaddr_in address = as_ipv4(bytes);
    (void)::inet_ntop(AF_INET, &address.sin_addr, host.data(), host.size());
    return fmt::format("{}:{}", host.data(), port());
  }
  (void)::inet_ntop(AF_INET6, &bytes.sin6_addr, host.data(), host.size());
  return fmt::format("[{}]:{}", host.data(), port());
}

Result<Address> parse_address(const std::string& text) {
  const auto refused = [&] {
    return fail(fmt::format("'{}' is no address to listen at", text),
                "it is numbers, as 127.0.0.1:9104 or [::1]:9104 are");
  };
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos) return refused();
  const auto port = port_of(std::string_view(text).substr(colon + 1));
  if (!port) return refused();
  const std::string host = text.substr(0, colon);
  Address address;
  sockaddr_in ipv4{};
  if (::inet_pton(AF_INET, host.c_str(), &ipv4.sin_addr) == 1) {
    ipv4.sin_family = AF_INET;
    ipv4.sin_port = htons(*port);
    std::memcpy(&address.bytes, &ipv4, sizeof(ipv4));
    address.size = sizeof(ipv4);
    return address;
  }
  if (host.size() < 2 || host.front() != '[' || host.back() != ']' ||
      ::inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), &address.bytes.sin6_addr) != 1)
    return refused();
  address.bytes.sin6_family = AF_INET6;
  address.bytes.sin6_port = htons(*port);
  address.size = sizeof(address.bytes);
  return address;
}

Result<UniqueFd> listen_at(const Address& address) {
  const auto failed = [&] {
    return fail(fmt::format("cannot listen at {}: {}", address.text(), std::strerror(errno)),
                errno == EADDRINUSE ? "--listen chooses another address" : "");
  };
  UniqueFd socket(
      ::socket(address.bytes.sin6_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return failed();
  const int on = 1;
  // Else not at once after a run before.
  (void)::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address.bytes), address.size) != 0 ||
      ::listen(socket.get(), kBacklog) != 0)
    return failed();
  return socket;
}

Address address_of(int socket) {
  Address address;
  address.size = sizeof(address.bytes);
  (void)::getsockname(socket, reinterpret_cast<sockaddr*>(&address.bytes), &address.size);
  return address;
}

}  // namespace dbtrace::http
