#include "src/commands/tracing/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "src/attach/preflight.h"
#include "src/commands/messages.h"
#include "src/commands/tracing/explain.h"
#include "src/commands/wall_clock.h"
#include "src/sandbox/sandbox.h"
#include "src/target/process.h"

namespace dbtrace::commands {
namespace {

tl::unexpected<Session::Failure> failure(const Error& error, int exit_code) {
  return tl::unexpected(Session::Failure{error, exit_code});
}

// File operations are told of; the way to see them is still to be chosen.
bool wants_files(const attach::TracerOptions& options) {
  return options.budget || options.operations;
}

bool is_in_use(attach::Feature feature, const attach::TracerOptions& options) {
  switch (feature) {
    case attach::Feature::Stacks:
      return options.stacks.has_value();
    case attach::Feature::Files:
      return options.file_hook != attach::FileHook::None;
    case attach::Feature::Time:
      return options.budget || options.waits;
  }
  return false;
}

std::vector<attach::Feature> ladder_of(std::vector<attach::Feature> droppable,
                                       const attach::TracerOptions& options) {
  std::erase_if(droppable, [&](attach::Feature feature) { return !is_in_use(feature, options); });
  return droppable;
}

// Waits that began before their query was slow are found only by looking: several times
// before it is.
int poll_milliseconds(const attach::TracerOptions& options) {
  constexpr int kLeast = 10, kParts = 4;
  if (!options.stacks || options.stacks->slow_ns == 0) return attach::Tracer::kPollMilliseconds;
  const uint64_t part = options.stacks->slow_ns / 1'000'000 / kParts;
  return static_cast<int>(std::clamp<uint64_t>(part, kLeast, attach::Tracer::kPollMilliseconds));
}

stream::EventSource source_of(const target::Server& server, const attach::Plan& plan) {
  stream::EventSource source{.profile = plan.profile,
                             .layout = plan.shape->layout,
                             .sees_waits = plan.kernel.report.wait.steps != 0,
                             .version = server.version};
  if (plan.profile->forks)
    source.process_title = [](uint32_t pid) { return target::Proc().title(pid); };
  return source;
}

}  // namespace

std::vector<uint8_t> Session::commands_with_text(const attach::Plan& plan) {
  std::vector<uint8_t> ids;
  for (const profiles::Command& command : plan.profile->commands)
    if (!command.step && attach::text_rule(plan, command.id) != profiles::TextRule::None)
      ids.push_back(command.id);
  return ids;
}

Session::Attempt<Session> Session::prepare(SessionOptions options, CommandChoice commands) {
  Session session(std::move(options), std::move(commands));
  const SessionOptions& wanted = session.options_;
  if (!wanted.explain)
    if (auto ready = attach::preflight(); !ready) return failure(ready.error(), kFailed);
  auto servers = choose_servers(wanted.target);
  if (!servers) return failure(servers.error(), kUsage);
  session.servers_ = std::move(*servers);
  auto planned = session.plan(session.servers_);
  if (!planned) return failure(planned.error(), kFailed);
  session.planned_ = std::move(*planned);
  if (auto ready = session.await_names(); !ready) return failure(ready.error(), kFailed);

  if (wants_files(wanted.tracer)) {
    auto choice = attach::choose_file_hook(wanted.file_io);
    if (wanted.explain) {
      session.explanation_ += explain_files(choice);
    } else if (!choice) {
      return failure(choice.error(), kFailed);
    } else {
      session.options_.tracer.file_hook = choice->hook;
    }
  }
  if (wanted.explain) return session;
  auto stop = Stop::catch_signals();
  if (!stop) return failure(stop.error(), kFailed);
  session.stop_ = std::move(*stop);
  return session;
}

Result<Session::Planned> Session::plan(const std::vector<target::Server>& servers) {
  Planned planned;
  for (const target::Server& server : servers) {
    auto finder = target::open_symbols(server);
    if (!finder) return tl::unexpected(finder.error());
    auto plan = attach::make_plan(*finder, *server.profile, options_.plan);
    if (!plan) return tl::unexpected(plan.error());
    if (options_.explain) {
      if (!explanation_.empty()) explanation_ += '\n';
      explanation_ += explain(server, *finder, *plan);
    }
    if (options_.keep_plans) plans_[server.pid] = explain(server, *finder, *plan);
    attach::send_only(*plan, commands_(*plan));
    auto namer = namer_of(server);
    if (!namer) return tl::unexpected(namer.error());
    planned.sources.push_back(source_of(server, *plan));
    planned.sources.back().namer = std::move(*namer);
    planned.binaries.push_back({finder->binary().duplicate_fd(), server.pid, std::move(*plan)});
  }
  return planned;
}

Result<std::shared_ptr<profiles::FileNamer>> Session::namer_of(const target::Server& server) const {
  const bool is_of_use = server.profile->file_namer && wants_files(options_.tracer);
  if (!options_.connection.empty()) {
    if (!server.profile->file_namer)
      return fail(fmt::format("--dsn is of no use for {}: the names of its files say what they are",
                              server.profile->title));
    if (!is_of_use) return fail("--dsn is of no use: no files would be shown", "add --budget");
    if (server.pid == 0 || servers_.size() > 1)
      return fail("--dsn is for one server, and several may be traced", "choose one: -p PID");
  }
  if (options_.explain || !is_of_use || server.pid == 0) return nullptr;
  return server.profile->file_namer(server.pid, options_.connection);
}

// Before the first operation is seen, what files are called is known, if it takes no long.
Result<void> Session::await_names() const {
  constexpr std::chrono::seconds kPatience{5};
  for (const stream::EventSource& source : planned_.sources)
    if (source.namer)
      if (auto ready = source.namer->wait_until_ready(kPatience); !ready) return ready;
  return {};
}

Session::Attempt<void> Session::attach() {
  cost_ = std::make_unique<CostWatch>(
      options_.max_overhead, ladder_of(options_.droppable, options_.tracer), options_.shows_cost,
      [this](std::string_view text) { say(text); });
  if (auto ready = cost_->prepare(options_.tracer.mechanism); !ready)
    return failure(ready.error(), kFailed);
  attachments_ = std::make_unique<Attachments>(options_.tracer, options_.remembered);
  if (auto added = attachments_->add(std::move(planned_.binaries), std::move(planned_.sources));
      !added)
    return failure(added.error(), kFailed);
  if (auto begun = cost_->begin(*attachments_); !begun) return failure(begun.error(), kFailed);
  say_attached(servers_);
  follower_ = Follower(options_.follow);
  for (const target::Server& server : servers_) follower_.attached(server);
  if (options_.duration_ns)
    if (auto set = stop_.after(std::chrono::nanoseconds(*options_.duration_ns)); !set)
      return failure(set.error(), kFailed);
  return {};
}

bool Session::several() const {
  return servers_.size() > 1 || options_.follow || !options_.target.executables.empty();
}

std::string Session::plan_of(uint32_t pid) const {
  const auto plan = plans_.find(pid);
  return plan == plans_.end() ? std::string() : plan->second;
}

void Session::say_attached(const std::vector<target::Server>& servers) {
  std::string text;
  for (const target::Server& server : servers)
    text += fmt::format("attached to {} with {}; Ctrl-C ends\n", describe(server),
                        attach::mechanism_name(attachments_->mechanism()));
  say(text);
}

void Session::say(std::string_view text) {
  if (listener_) return listener_(text);
  (void)messages_.write(text);
}

// Attaches to a server that came later.
Result<void> Session::greet(const Result<target::Server>& server) {
  if (!server) return tl::unexpected(server.error());
  auto planned = plan({*server});
  auto added = planned
                   ? attachments_->add(std::move(planned->binaries), std::move(planned->sources))
                   : tl::unexpected(planned.error());
  if (!added) {
    follower_.refused(*server);
    return added;
  }
  follower_.attached(*server);
  std::erase_if(servers_, [&](const target::Server& old) {
    return old.pid && !attachments_->processes().contains(old.pid);
  });
  servers_.push_back(*server);
  say_attached({*server});
  return {};
}

sandbox::Needs Session::needs() const {
  const attach::TracerOptions& tracer = options_.tracer;
  sandbox::Needs needs;
  for (const target::Server& server : servers_) {
    needs.processes |= server.profile->forks;
    needs.files |= server.profile->file_namer && wants_files(tracer);
  }
  needs.memory = tracer.running || tracer.stacks;
  needs.code = tracer.stacks.has_value();
  needs.new_files = options_.new_files || options_.database;
  needs.database = options_.database;
  needs.connections = !options_.connection.empty();
  needs.clients = options_.clients;
  needs.collector = options_.collector;
  needs.probes = options_.follow || !options_.target.executables.empty();
  needs.perf_events = attachments_->mechanism() == attach::Mechanism::PerfEvent;
  return needs;
}

Result<void> Session::run(Consumer& consumer, output::Writer& out) {
  const Attachments::Handler take = [&](stream::Decoder& decoder,
                                        std::span<const std::byte> event) {
    consumer.take(decoder, event);
  };
  if (options_.sandbox)
    if (auto entered = sandbox::enter(needs()); !entered) say(text_of(entered.error()));
  attachments_->set_stack_handler(
      [&](std::span<const std::byte> event) { consumer.take_stack(event); });
  std::vector<Result<target::Server>> arrivals;
  Result<bool> enough = false;
  RunHandlers handlers;
  const auto say_losses = [&] {
    if (!options_.says_losses) return;
    const auto lost = losses_.tick(*attachments_);
    if (!lost) return say(text_of(lost.error()));
    if (!*lost) return;
    say(text_of(**lost));
    consumer.take_loss(**lost);
  };
  handlers.tick = [&] {
    attachments_->set_clock_offset(static_cast<int64_t>(wall_clock_offset()));
    const bool more = attachments_->drain(take);
    auto ended = consumer.tick(*attachments_);
    if (enough && !*enough) enough = std::move(ended);
    if (enough && !*enough) enough = cost_->tick(*attachments_);
    say_losses();
    arrivals = follower_.arrivals();
    if (!enough || *enough || !arrivals.empty()) return Tick::End;
    return more ? Tick::Busy : Tick::Idle;
  };
  // Probes cost as much while nobody reads the output.
  out.while_it_stalls([&] {
    const auto end = cost_->tick(*attachments_);
    if (!end || *end) enough = end;
    say_losses();
    return !end || *end;
  });
  handlers.resized = [&] { consumer.resized(); };
  handlers.input = [&] { return consumer.input(); };
  handlers.server_ended = [&](uint32_t pid) {
    attachments_->ended(pid, take);
    say(fmt::format("server {} has ended{}\n", pid,
                    follower_.ended(pid) ? "; waiting for its successor" : ""));
  };

  RunOptions run_options;
  run_options.stop_fd = stop_.fd();
  run_options.resize_fd = stop_.resize_fd();
  run_options.ring_fd = attachments_->ring_fd();
  run_options.output_fd = out.fd();
  run_options.input_fd = consumer.input_fd();
  run_options.poll_milliseconds = poll_milliseconds(options_.tracer);

  Result<Ending> ending = Ending::Asked;
  do {
    for (const Result<target::Server>& server : std::exchange(arrivals, {}))
      if (auto greeted = greet(server); !greeted) say(text_of(greeted.error()));
    run_options.pids.assign(attachments_->processes().begin(), attachments_->processes().end());
    ending = commands::run(run_options, handlers);
    if (!enough) break;
  } while (ending && !*enough &&
           (!arrivals.empty() || (*ending == Ending::ServersGone && options_.follow)));
  out.while_it_stalls({});
  if (!enough) return tl::unexpected(enough.error());
  if (!ending) return tl::unexpected(ending.error());
  return {};
}

void Session::detach(Consumer& consumer) {
  if (auto ended = cost_->end(*attachments_); !ended) say(text_of(ended.error()));
  consumer.ending(*attachments_);
  attachments_->detach([&](stream::Decoder& decoder, std::span<const std::byte> event) {
    consumer.take(decoder, event);
  });
  // The summary says it to a person.
  if (const auto lost = losses_.look(*attachments_); lost && *lost && options_.says_losses)
    consumer.take_loss(**lost);
}

int Session::conclude(const Result<std::string>& account, const Result<void>& ran) {
  if (account) say(*account);
  say(cost_->account());
  for (const Error* error : {account ? nullptr : &account.error(), ran ? nullptr : &ran.error()})
    if (error) say(text_of(*error));
  if (!account || !ran) return kFailed;
  return cost_->gave_up() ? kTooDear : kDone;
}

}  // namespace dbtrace::commands
