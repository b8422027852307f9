#include "src/commands/doctor/canary.h"

#include <fmt/format.h>
#include <poll.h>

#include <chrono>
#include <ctime>
#include <optional>
#include <random>
#include <utility>

#include "src/commands/doctor/canary_checks.h"
#include "src/commands/tracing/session.h"
#include "src/commands/wall_clock.h"

namespace dbtrace::commands {
namespace {

// Events come some ten times a second.
constexpr auto kPatience = std::chrono::seconds(2);
// To connect, and for all that the server is asked then.
constexpr auto kClientPatience = std::chrono::seconds(5);

// Takes the one query whose text is known.
class Listener final : public Consumer {
 public:
  explicit Listener(std::string text) : text_(std::move(text)) {}

  void take(stream::Decoder& decoder, std::span<const std::byte> event) override {
    const model::Query* query = decoder.feed(event);
    if (query && query->text.find(text_) != std::string::npos) heard_ = *query;
  }
  Result<bool> tick(Attachments&) override {
    return heard_ || std::chrono::steady_clock::now() > end_;
  }

  [[nodiscard]] const std::optional<model::Query>& heard() const { return heard_; }

 private:
  std::string text_;
  std::optional<model::Query> heard_;
  std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::now() + kPatience;
};

bool is_readable(int fd) {
  pollfd one{.fd = fd, .events = POLLIN, .revents = 0};
  return ::poll(&one, 1, 0) > 0;
}

std::string mark() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

SessionOptions session_options(const target::Server& server, bool budget) {
  SessionOptions options;
  if (server.pid)
    options.target.pids = {server.pid};
  else
    options.target.executables = {server.executable};
  options.plan.waits = budget;
  options.tracer.budget = budget;
  options.sandbox = false;  // there is more to be tried after it
  return options;
}

// Has the server carry the statement out, and notes what a client can know of it.
Result<Sung> sing(client::Client& client, const profiles::Canary& canary, const std::string& mark,
                  const profiles::Patience& patience) {
  Sung sung;
  sung.text = fmt::format(fmt::runtime(canary.statement), mark);
  sung.asked_ns = profiles::kCanarySleep_ns;
  for (const auto& [question, answer] :
       {std::pair(canary.connection_id, &sung.connection_id), std::pair(canary.user, &sung.user)}) {
    auto told = client.ask(std::string(question), patience);
    if (!told) return tl::unexpected(told.error());
    *answer = std::move(told->value);
  }
  const uint64_t begin = nanoseconds_of(CLOCK_MONOTONIC);
  const auto answer = client.ask(sung.text, patience);
  if (!answer) return tl::unexpected(answer.error());
  // The server may answer before the command is over, but not another command of the session.
  if (auto next = client.ask(std::string(canary.connection_id), patience); !next)
    return tl::unexpected(next.error());
  sung.took_ns = nanoseconds_of(CLOCK_MONOTONIC) - begin;
  sung.rows = answer->rows;
  return sung;
}

Check failed(const char* subject, const Error& error) {
  return {subject, CheckState::Missing, error.message, "nothing was proved", error.hint};
}

}  // namespace

std::vector<Check> run_canary(const target::Server& server, const client::Address& address,
                              bool budget) {
  const profiles::Canary& canary = server.profile->canary;
  auto session = Session::prepare(session_options(server, budget), Session::commands_with_text);
  if (!session) return {failed("attaching", session.error().error)};
  // From here on signals no longer end the process.
  const auto stopped = [stop_fd = session->stop_fd()] { return is_readable(stop_fd); };
  auto client =
      client::connect(canary.protocol, address, profiles::Patience(kClientPatience, stopped));
  if (!client) return {failed("connection", client.error())};
  session->tell([](std::string_view) {});
  if (auto attached = session->attach(); !attached)
    return {failed("attaching", attached.error().error)};

  const std::string own = mark();
  auto sung = sing(**client, canary, own, profiles::Patience(kClientPatience, stopped));
  Listener listener(own);
  if (sung) {
    auto out = output::Writer::standard_error();
    const auto ran = session->run(listener, out);
    if (!ran) return {failed("tracing", ran.error())};
  }
  session->detach(listener);
  if (!sung) return {failed("statement", sung.error())};
  sung->budget = budget;
  return canary_checks(*sung, listener.heard());
}

}  // namespace dbtrace::commands
