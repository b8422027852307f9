#include "src/http/post.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "symbols/unique.h"

namespace dbtrace::http {
namespace {

// How often the deadline is asked for.
constexpr int kLook_ms = 100;

class Exchange {
 public:
  Exchange(const Url& to, const Deadline& deadline) : to_(to), deadline_(deadline) {}

  Result<void> connect() {
    socket_ = UniqueFd(
        ::socket(to_.address.bytes.sin6_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket_) return failed(errno);
    const auto* address = reinterpret_cast<const sockaddr*>(&to_.address.bytes);
    if (::connect(socket_.get(), address, to_.address.size) == 0) return {};
    if (errno != EINPROGRESS) return failed(errno);
    if (auto waited = wait(POLLOUT); !waited) return tl::unexpected(waited.error());
    int error = 0;
    socklen_t size = sizeof(error);
    (void)::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error) return failed(error);
    return {};
  }

  // Until all is sent, or the other end has an answer before.
  Result<void> send(std::string_view head, std::string_view body) {
    for (std::string_view part : {head, body}) {
      while (!part.empty()) {
        const auto ready = wait(POLLIN | POLLOUT);
        if (!ready) return tl::unexpected(ready.error());
        if (*ready & POLLIN) return {};
        const ssize_t sent = ::send(socket_.get(), part.data(), part.size(), MSG_NOSIGNAL);
        if (sent > 0)
          part.remove_prefix(static_cast<size_t>(sent));
        else if (errno != EAGAIN && errno != EINTR)
          return failed(errno);
      }
    }
    return {};
  }

  Result<Answer> receive() {
    std::string bytes;
    Answer answer;
    while (true) {
      const auto ready = wait(POLLIN);
      ssize_t count = 0;
      if (ready) {
        const size_t before = bytes.size();
        bytes.resize(before + kPart);
        count = ::recv(socket_.get(), bytes.data() + before, kPart, 0);
        const int error = errno;
        bytes.resize(before + static_cast<size_t>(std::max<ssize_t>(count, 0)));
        if (count < 0 && (error == EAGAIN || error == EINTR)) continue;
        if (count < 0 && bytes.empty()) return failed(error);
      }
      const bool at_end = count <= 0 || bytes.size() > kMostAnswer;
      switch (read_answer(bytes, at_end, answer)) {
        case Reading::Done:
          return answer;
        case Reading::NeedsMore:
          break;
        case Reading::Malformed:
          if (!ready) return tl::unexpected(ready.error());
          if (bytes.empty()) return fail(fmt::format("{} closes without an answer", to_.host));
          return fail(fmt::format("what {} answers is not HTTP", to_.host));
      }
    }
  }

 private:
  static constexpr size_t kPart = 16'384;

  [[nodiscard]] tl::unexpected<Error> failed(int error) const {
    return fail(fmt::format("cannot send to {}: {}", to_.host, std::strerror(error)));
  }

  // What it is ready for.
  [[nodiscard]] Result<short> wait(short events) const {
    using std::chrono::milliseconds;
    while (true) {
      const auto left = std::chrono::ceil<milliseconds>(deadline_() - Clock::now());
      if (left <= milliseconds(0)) return fail(fmt::format("{} does not answer in time", to_.host));
      pollfd ready{socket_.get(), events, 0};
      const auto patience = std::min(left, milliseconds(kLook_ms));
      if (::poll(&ready, 1, static_cast<int>(patience.count())) == 1) return ready.revents;
    }
  }

  using Clock = std::chrono::steady_clock;
  const Url& to_;
  const Deadline& deadline_;
  UniqueFd socket_;
};

std::string head_of(const Request& request) {
  std::string head = fmt::format(
      "POST {}{} HTTP/1.1\r\nHost: {}\r\nUser-Agent: {}\r\nContent-Type: {}\r\n"
      "Content-Length: {}\r\nConnection: close\r\n",
      request.to.path, request.path, request.to.host, request.agent, request.type,
      request.body.size());
  for (const Header& header : request.headers)
    head += fmt::format("{}: {}\r\n", header.name, header.value);
  return head += "\r\n";
}

}  // namespace

Result<Answer> post(const Request& request, const Deadline& deadline) {
  Exchange exchange(request.to, deadline);
  if (auto connected = exchange.connect(); !connected) return tl::unexpected(connected.error());
  if (auto sent = exchange.send(head_of(request), request.body); !sent)
    return tl::unexpected(sent.error());
  return exchange.receive();
}

}  // namespace dbtrace::http
