#include "src/commands/serve/serve.h"

#include <fmt/format.h>
#include <poll.h>

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "src/commands/histogram/who_counts.h"
#include "src/commands/messages.h"
#include "src/commands/pace.h"
#include "src/commands/serve/agent.h"
#include "src/commands/tracing/options.h"
#include "src/output/metrics_text.h"

namespace dbtrace::commands {
namespace {

constexpr std::chrono::seconds kLook{1};
constexpr int kWait_ms = 100;

Session::Attempt<Session> prepare(const ServeOptions& options, const model::Filter& filter,
                                  const std::optional<uint32_t>& kernel_key) {
  const HistogramOptions& counting = options.counting;
  SessionOptions session = counting.session;
  session.target.several = true;
  session.plan.waits = session.tracer.budget;
  choose_in_kernel(counting.choice, session.tracer);
  session.tracer.kinds = kernel_key;
  if (!options.push.url.empty())
    session.tracer.examples_slower_than_ns = options.push.slower_than_ns;
  session.tracer.running = true;
  session.shows_cost = true;
  session.follow = true;
  session.clients = true;
  session.collector = !options.push.url.empty();
  return Session::prepare(session, [&](const attach::Plan& plan) {
    return commands_to_count(plan, options.counting.choice, filter);
  });
}

class Serving {
 public:
  Serving(const ServeOptions& options, const model::Filter& filter,
          std::optional<uint32_t> kernel_key, Stop stop, http::PageServer pages,
          std::unique_ptr<Push> push)
      : options_(options),
        filter_(filter),
        kernel_key_(kernel_key),
        stop_(std::move(stop)),
        pages_(std::move(pages)),
        push_(std::move(push)) {}

  int run() {
    while (await_server()) {
      auto session = prepare(options_, filter_, kernel_key_);
      if (session) {
        auto attached = session->attach();
        if (attached) return count(*session);
        session = tl::unexpected(attached.error());
      }
      // What was there a moment ago may be gone.
      if (is_there()) return complain(session.error().error, session.error().exit_code);
    }
    return kDone;
  }

 private:
  // Of servers that were not named: one that was and is not there is a mistake, to be told at once.
  [[nodiscard]] bool is_there() const {
    TargetOptions target = options_.counting.session.target;
    target.several = true;
    return !target.pids.empty() || !target.executables.empty() || choose_servers(target);
  }

  // False: it is to end.
  [[nodiscard]] bool await_server() {
    bool said = false;
    Pace look = Pace::from_now(kLook);
    while (true) {
      if (look.due()) {
        if (is_there()) return true;
        if (!std::exchange(said, true)) {
          fmt::print(stderr, "no database server is running; waiting for one\n");
        }
      }
      std::array<pollfd, 2> ready = {{{stop_.fd(), POLLIN, 0}, {pages_.fd(), POLLIN, 0}}};
      (void)::poll(ready.data(), ready.size(), kWait_ms);
      if (ready[0].revents) {
        if (push_) (void)push_->finish([this](output::Metrics& out) { return tell_waiting(out); });
        say_news();
        return false;
      }
      pages_.serve([this] {
        std::string page;
        output::MetricsText text(page);
        (void)tell_waiting(text);
        return page;
      });
      if (push_) (void)push_->tick([this](output::Metrics& out) { return tell_waiting(out); });
      say_news();
    }
  }

  // While there is no server.
  Result<void> tell_waiting(output::Metrics& out) const {
    tell_agent({}, out);
    if (push_) push_->tell(out);
    return {};
  }

  void say_news() {
    if (!push_) return;
    for (const std::string& line : push_->take_news()) fmt::print(stderr, "{}", line);
  }

  int count(Session& session) {
    // Nobody reads it, so that nobody can end it.
    auto nowhere = open_output("/dev/null", session.stop_fd());
    if (!nowhere) return complain(nowhere.error(), kFailed);
    Agent agent(options_, filter_, kernel_key_.has_value(), session, *nowhere, pages_, push_.get());
    Result<void> ran = session.run(agent, *nowhere);
    session.detach(agent);
    if (ran) ran = agent.finish(session.attachments());
    return session.conclude(agent.tally(session.attachments()).map(summary), ran);
  }

  const ServeOptions& options_;
  const model::Filter& filter_;
  std::optional<uint32_t> kernel_key_;
  Stop stop_;
  http::PageServer pages_;
  std::unique_ptr<Push> push_;  // null: nobody is sent to
};

int explain(const ServeOptions& options, const model::Filter& filter,
            const std::optional<uint32_t>& kernel_key) {
  auto session = prepare(options, filter, kernel_key);
  if (!session) return complain(session.error().error, session.error().exit_code);
  fmt::print("{}", session->explanation());
  return kDone;
}

}  // namespace

int run_serve(const ServeOptions& options) {
  auto filter = make_filter(options.counting.choice, false);
  if (!filter) return complain(filter.error(), kUsage);
  auto key = who_counts(options.counting);
  if (!key) return complain(key.error(), kUsage);
  if (options.counting.session.explain) return explain(options, *filter, *key);
  const auto address = http::parse_address(options.listen);
  if (!address) return complain(address.error(), kUsage);
  std::optional<otlp::Collector> collector;
  if (!options.push.url.empty()) {
    auto parsed = collector_of(options.push);
    if (!parsed) return complain(parsed.error(), kUsage);
    collector = std::move(*parsed);
  }
  auto stop = Stop::catch_signals();
  if (!stop) return complain(stop.error(), kFailed);
  auto pages = http::PageServer::listen(*address, {.path = "/metrics",
                                                   .type = std::string(output::kMetricsType),
                                                   .title = "Metrics of dbtrace"});
  if (!pages) return complain(pages.error(), kFailed);
  fmt::print(stderr, "metrics at http://{}/metrics\n", pages->address().text());
  if (!address->is_loopback())
    fmt::print(stderr, "others than this machine may read them there: nothing asks who they are\n");
  // Its thread takes none of the signals that are caught now.
  auto push = collector ? std::make_unique<Push>(options.push, std::move(*collector)) : nullptr;
  return Serving(options, *filter, *key, std::move(*stop), std::move(*pages), std::move(push))
      .run();
}

}  // namespace dbtrace::commands
