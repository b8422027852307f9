#include "src/commands/serve/agent.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "src/output/metrics_text.h"

namespace dbtrace::commands {

Agent::Agent(const ServeOptions& options, const model::Filter& filter, bool kernel_counts,
             Session& session, output::Writer& writer, http::PageServer& pages, Push* push)
    : filter_(filter),
      session_(session),
      pages_(pages),
      push_(push),
      counter_(options.counting, filter, kernel_counts, session.several(), writer) {}

void Agent::take(stream::Decoder& decoder, std::span<const std::byte> event) {
  const model::Query* query = decoder.feed(event);
  if (!query || query->running) return;
  counter_.take(*query);
  if (push_ && filter_.accepts(*query)) push_->take(*query);
}

Result<bool> Agent::tick(Attachments& attachments) {
  const auto tell = [&](output::Metrics& out) { return tell_now(attachments, out); };
  Result<void> told;
  pages_.serve([&] {
    std::string page;
    output::MetricsText text(page);
    told = tell(text);
    return told ? page : std::string();
  });
  if (told && push_) {
    told = push_->tick(tell);
    for (const std::string& line : push_->take_news()) session_.say(line);
  }
  if (!told) return tl::unexpected(told.error());
  return false;
}

Result<void> Agent::finish(const Attachments& attachments) {
  if (auto finished = counter_.finish(attachments); !finished || !push_) return finished;
  const auto pushed =
      push_->finish([&](output::Metrics& out) { return tell(attachments, {}, out); });
  for (const std::string& line : push_->take_news()) session_.say(line);
  return pushed;
}

Result<void> Agent::tell_now(Attachments& attachments, output::Metrics& out) {
  const auto now = running(attachments);
  if (!now) return tl::unexpected(now.error());
  return tell(attachments, *now, out);
}

Result<void> Agent::tell(const Attachments& attachments, const Running& running,
                         output::Metrics& out) {
  // Counts the kernel's sums, which what follows is told of.
  if (auto told = counter_.tell(attachments, out); !told) return told;
  const auto tally = counter_.tally(attachments);
  if (!tally) return tl::unexpected(tally.error());
  tell_account(*tally, running, out);
  tell_agent(traced(attachments), out);
  tell_cost(session_.cost(), out);
  if (push_) push_->tell(out);
  return {};
}

std::vector<target::Server> Agent::traced(const Attachments& attachments) const {
  std::vector<target::Server> servers;
  std::ranges::copy_if(session_.servers(), std::back_inserter(servers),
                       [&](const target::Server& server) {
                         return !server.pid || attachments.processes().contains(server.pid);
                       });
  return servers;
}

Result<Running> Agent::running(Attachments& attachments) const {
  Running now;
  const auto look = [&](stream::Decoder& decoder, std::span<const std::byte> event) {
    const model::Query* query = decoder.feed(event);
    if (!query || !query->running || !filter_.accepts(*query)) return;
    ++now.count;
    if (query->start_known) now.longest_ns = std::max(now.longest_ns, query->duration_ns);
  };
  if (auto looked = attachments.running(look); !looked) return tl::unexpected(looked.error());
  return now;
}

}  // namespace dbtrace::commands
