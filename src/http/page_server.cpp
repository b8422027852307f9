#include "src/http/page_server.h"

#include <fmt/format.h>
#include <microhttpd.h>
#include <sys/socket.h>

#include <map>
#include <string_view>
#include <utility>

namespace dbtrace::http {
namespace {

using Clock = std::chrono::steady_clock;

// As long as more can be done at once, but not for ever: whoever calls has other work.
constexpr int kMostRounds = 16;

struct ResponseTraits {
  using Handle = MHD_Response*;
  static Handle none() { return nullptr; }
  static void release(Handle handle) { ::MHD_destroy_response(handle); }
};
// The library counts who still sends it, besides.
using Response = Unique<ResponseTraits>;

struct DaemonTraits {
  using Handle = MHD_Daemon*;
  static Handle none() { return nullptr; }
  static void release(Handle handle) { ::MHD_stop_daemon(handle); }
};
using Daemon = Unique<DaemonTraits>;

Response response_of(const std::string& text, const std::string& type) {
  // It is copied in spite of the pointer's type.
  Response response(::MHD_create_response_from_buffer(text.size(), const_cast<char*>(text.data()),
                                                      MHD_RESPMEM_MUST_COPY));
  if (!response) return response;
  (void)::MHD_add_response_header(response.get(), MHD_HTTP_HEADER_CONTENT_TYPE, type.c_str());
  // A client that comes back in 15 s need not hold a place meanwhile.
  (void)::MHD_add_response_header(response.get(), MHD_HTTP_HEADER_CONNECTION, "close");
  return response;
}

}  // namespace

struct PageServer::Impl {
  Page page;
  Response start, missing, wrong_method, unavailable;  // what never changes
  Response latest;
  Clock::time_point made{};
  struct Client {
    Clock::time_point since;
    bool has_asked = false;
  };
  std::map<MHD_Connection*, Client> clients;
  const std::function<std::string()>* make = nullptr;  // while serve() runs
  Daemon daemon;                                       // declared last: ends before the rest

  explicit Impl(Page served)
      : page(std::move(served)),
        start(response_of(fmt::format("<!DOCTYPE html><title>{0}</title><a href=\"{1}\">{0}</a>\n",
                                      page.title, page.path),
                          "text/html")),
        missing(response_of("there is " + page.path + "\n", "text/plain")),
        wrong_method(response_of("GET only\n", "text/plain")),
        unavailable(response_of("it cannot be had at the moment\n", "text/plain")) {}

  [[nodiscard]] bool is_complete() const { return start && missing && wrong_method && unavailable; }

  std::pair<unsigned, MHD_Response*> answer(std::string_view method, std::string_view path) {
    if (method != MHD_HTTP_METHOD_GET && method != MHD_HTTP_METHOD_HEAD)
      return {MHD_HTTP_METHOD_NOT_ALLOWED, wrong_method.get()};
    if (path == "/") return {MHD_HTTP_OK, start.get()};
    if (path != page.path) return {MHD_HTTP_NOT_FOUND, missing.get()};
    if (!latest || Clock::now() - made >= kFreshness) {
      const std::string text = make ? (*make)() : std::string();
      latest = text.empty() ? Response() : response_of(text, page.type);
      made = Clock::now();
    }
    if (!latest) return {MHD_HTTP_SERVICE_UNAVAILABLE, unavailable.get()};
    return {MHD_HTTP_OK, latest.get()};
  }

  // Who trickles bytes is never silent. When all places are taken, they are for those who ask.
  void end_the_slow() const {
    const auto now = Clock::now();
    const bool full = clients.size() >= kMostClients;
    for (const auto& [client, state] : clients) {
      const Clock::duration most =
          full && !state.has_asked ? Clock::duration(kMostHesitation) : Clock::duration(kMostTime);
      if (now - state.since < most) continue;
      const auto* info = ::MHD_get_connection_info(client, MHD_CONNECTION_INFO_CONNECTION_FD);
      if (info) (void)::shutdown(info->connect_fd, SHUT_RDWR);
    }
  }
};

namespace {

template <typename Impl>
MHD_Result on_request(void* pointer, MHD_Connection* client, const char* path, const char* method,
                      const char*, const char*, size_t*, void**) {
  auto* impl = static_cast<Impl*>(pointer);
  impl->clients[client].has_asked = true;
  const auto [status, response] = impl->answer(method, path);
  return ::MHD_queue_response(client, status, response);
}

template <typename Impl>
void on_client(void* impl, MHD_Connection* client, void**, MHD_ConnectionNotificationCode what) {
  auto& clients = static_cast<Impl*>(impl)->clients;
  if (what == MHD_CONNECTION_NOTIFY_STARTED)
    clients[client] = {Clock::now()};
  else
    clients.erase(client);
}

}  // namespace

PageServer::PageServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PageServer::PageServer(PageServer&&) noexcept = default;
PageServer::~PageServer() = default;

Result<PageServer> PageServer::listen(const Address& address, Page page) {
  auto socket = listen_at(address);
  if (!socket) return tl::unexpected(socket.error());
  auto impl = std::make_unique<Impl>(std::move(page));
  impl->daemon = Daemon(::MHD_start_daemon(
      MHD_USE_EPOLL, 0, nullptr, nullptr, on_request<Impl>, impl.get(),            //
      MHD_OPTION_LISTEN_SOCKET, socket->get(),                                     //
      MHD_OPTION_CONNECTION_LIMIT, kMostClients,                                   //
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, kClientBytes,                            //
      MHD_OPTION_CONNECTION_TIMEOUT, static_cast<unsigned>(kMostSilence.count()),  //
      MHD_OPTION_NOTIFY_CONNECTION, on_client<Impl>, impl.get(), MHD_OPTION_END));
  if (!impl->daemon || !impl->is_complete())
    return fail(fmt::format("cannot serve at {}", address.text()));
  (void)socket->take();  // the daemon closes it
  return PageServer(std::move(impl));
}

Address PageServer::address() const {
  const auto* info = ::MHD_get_daemon_info(impl_->daemon.get(), MHD_DAEMON_INFO_LISTEN_FD);
  return address_of(info->listen_fd);
}

int PageServer::fd() const {
  return ::MHD_get_daemon_info(impl_->daemon.get(), MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

void PageServer::serve(const std::function<std::string()>& make) {
  impl_->end_the_slow();
  impl_->make = &make;
  for (int round = 0; round < kMostRounds; ++round) {
    (void)::MHD_run(impl_->daemon.get());
    MHD_UNSIGNED_LONG_LONG wait_ms = 0;
    if (::MHD_get_timeout(impl_->daemon.get(), &wait_ms) != MHD_YES || wait_ms != 0) break;
  }
  impl_->make = nullptr;
}

}  // namespace dbtrace::http
