#include "src/commands/serve/agent.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace dbtrace::commands {

Agent::Agent(const ServeOptions& options, const model::Filter& filter, bool kernel_counts,
             const Session& session, output::Writer& writer, http::PageServer& pages)
    : filter_(filter),
      session_(session),
      pages_(pages),
      counter_(options.counting, filter, kernel_counts, session.several(), writer) {}

Result<bool> Agent::tick(Attachments& attachments) {
  Result<void> made;
  pages_.serve([&] {
    auto text = page(attachments);
    if (text) return std::move(*text);
    made = tl::unexpected(text.error());
    return std::string();
  });
  if (!made) return tl::unexpected(made.error());
  return false;
}

Result<std::string> Agent::page(Attachments& attachments) {
  // Counts the kernel's sums, which what follows is told of.
  auto out = counter_.totals(attachments);
  if (!out) return out;
  const auto now = tracing(attachments);
  if (!now) return tl::unexpected(now.error());
  append_account(*now, *out);
  append_agent(now->servers, *out);
  append_cost(session_.cost(), *out);
  return out;
}

std::vector<target::Server> Agent::traced(const Attachments& attachments) const {
  std::vector<target::Server> servers;
  std::ranges::copy_if(session_.servers(), std::back_inserter(servers),
                       [&](const target::Server& server) {
                         return !server.pid || attachments.processes().contains(server.pid);
                       });
  return servers;
}

Result<Tracing> Agent::tracing(Attachments& attachments) const {
  auto tally = counter_.tally(attachments);
  if (!tally) return tl::unexpected(tally.error());
  Tracing now{.servers = traced(attachments), .tally = *tally};
  const auto look = [&](stream::Decoder& decoder, std::span<const std::byte> event) {
    const model::Query* query = decoder.feed(event);
    if (!query || !query->running || !filter_.accepts(*query)) return;
    ++now.running;
    if (query->start_known) now.longest_ns = std::max(now.longest_ns, query->duration_ns);
  };
  if (auto looked = attachments.running(look); !looked) return tl::unexpected(looked.error());
  return now;
}

}  // namespace dbtrace::commands
