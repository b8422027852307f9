#include "tests/otlp/collector.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <sstream>
#include <stdexcept>

namespace dbtrace::testing {
namespace {

constexpr int kLook_ms = 50;

bool is_ready(int socket) {
  pollfd ready{socket, POLLIN, 0};
  return ::poll(&ready, 1, kLook_ms) == 1;
}

void must(bool is_so, const std::string& what) {
  if (!is_so) throw std::runtime_error(what);
}

Pushed head_of(const std::string& text) {
  std::istringstream lines(text);
  std::string line, method, version;
  std::getline(lines, line);
  Pushed pushed;
  std::istringstream(line) >> method >> pushed.path >> version;
  must(method == "POST" && version == "HTTP/1.1", "a POST of HTTP/1.1, and not " + line);
  while (std::getline(lines, line) && line != "\r") {
    must(line.ends_with('\r'), "lines end with CR LF");
    const size_t colon = line.find(": ");
    must(colon != std::string::npos, "no header: " + line);
    const bool is_new =
        pushed.headers
            .emplace(line.substr(0, colon), line.substr(colon + 2, line.size() - colon - 3))
            .second;
    must(is_new, "twice: " + line);
  }
  for (const char* header : {"Host", "User-Agent", "Content-Length"})
    must(pushed.headers.contains(header), std::string("it has the header ") + header);
  must(pushed.headers["Content-Type"] == "application/x-protobuf", "it is said to be protobuf");
  return pushed;
}

}  // namespace

TestCollector::TestCollector(Answer answer, uint16_t port) : answer_(std::move(answer)) {
  socket_ = UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* bytes = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket_.get(), bytes, size) != 0 || ::listen(socket_.get(), 16) != 0)
    throw std::runtime_error("no port for a collector");
  ::getsockname(socket_.get(), bytes, &size);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { work(); });
}

TestCollector::~TestCollector() {
  ends_ = true;
  thread_.join();
}

std::vector<Pushed> TestCollector::pushed() const {
  const std::lock_guard lock(mutex_);
  return pushed_;
}

std::vector<std::string> TestCollector::problems() const {
  const std::lock_guard lock(mutex_);
  return problems_;
}

std::optional<std::string> TestCollector::taken(const Pushed&) { return answer(200); }

std::string TestCollector::answer(int status, const std::string& headers, const std::string& body) {
  return "HTTP/1.1 " + std::to_string(status) + " x\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

void TestCollector::work() {
  while (!ends_) {
    if (!is_ready(socket_.get())) continue;
    UniqueFd connection(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!connection) continue;
    try {
      serve(std::move(connection));
    } catch (const std::exception& error) {
      const std::lock_guard lock(mutex_);
      problems_.emplace_back(error.what());
    }
  }
}

void TestCollector::serve(UniqueFd connection) {
  std::string bytes;
  std::array<char, 65536> part;
  std::optional<Pushed> pushed;
  size_t head = 0, whole = 0;
  while (!ends_ && (!pushed || bytes.size() < whole)) {
    if (!is_ready(connection.get())) continue;
    const ssize_t count = ::recv(connection.get(), part.data(), part.size(), 0);
    must(count > 0, "it closes before all is sent");
    bytes.append(part.data(), static_cast<size_t>(count));
    const size_t end = bytes.find("\r\n\r\n");
    if (pushed || end == std::string::npos) continue;
    head = end + 4;
    pushed = head_of(bytes.substr(0, head));
    whole = head + std::stoul(pushed->headers.at("Content-Length"));
  }
  if (ends_) return;
  must(bytes.size() == whole, "it sends more than it says");
  pushed->body = bytes.substr(head);
  {
    const std::lock_guard lock(mutex_);
    pushed_.push_back(*pushed);
  }
  const auto told = answer_(*pushed);
  if (!told) return held_.push_back(std::move(connection));
  (void)::send(connection.get(), told->data(), told->size(), MSG_NOSIGNAL);
}

}  // namespace dbtrace::testing
