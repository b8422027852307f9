#include "src/commands/export/trace.h"

#include <utility>

#include "src/kinds/kinds.h"
#include "src/output/perfetto/perfetto.h"
#include "src/output/redact.h"

namespace dbtrace::commands {
namespace {

using output::perfetto::Survey;

Result<Survey> survey(const QueriesOptions& options, const model::Filter& filter) {
  auto replay = Replay::open(options.from);
  if (!replay) return tl::unexpected(replay.error());
  replay->choose(options.choice, false);
  Survey survey;
  const auto read = replay->each([&](const model::Query& query) {
    if (filter.accepts(query)) survey.add(query);
    return !options.limit || survey.flows.queries() < *options.limit;
  });
  if (!read) return tl::unexpected(read.error());
  return survey;
}

std::vector<output::perfetto::Server> servers_of(const Replay& replay) {
  std::vector<output::perfetto::Server> servers;
  for (const recording::ServerNote& server : replay.servers())
    servers.push_back({.pid = server.pid,
                       .flavor = server.flavor,
                       .title = server.title + (server.version ? " " + *server.version : "")});
  return servers;
}

}  // namespace

Result<Trace> make_trace(const Replay& replay, const QueriesOptions& options,
                         const model::Filter& filter) {
  auto surveyed = survey(options, filter);
  if (!surveyed) return tl::unexpected(surveyed.error());
  const uint64_t queries = surveyed->flows.queries();
  const auto kinds = std::make_shared<kinds::Kinds>(kinds::KindOptions{.redact = &output::redact});
  const auto name = [kinds](const model::Query& query) -> std::string_view {
    return (*kinds)[kinds->of(query).front()].text;
  };
  return Trace{
      .sink = output::perfetto::make_perfetto_sink(
          {.begin_ns = replay.reader().begin_ns(), .servers = servers_of(replay), .name = name},
          std::move(*surveyed)),
      .queries = queries};
}

}  // namespace dbtrace::commands
