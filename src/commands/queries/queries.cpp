#include "src/commands/queries/queries.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "profiles/user_profile.h"
#include "src/attach/preflight.h"
#include "src/commands/queries/attachments.h"
#include "src/commands/queries/explain.h"
#include "src/commands/queries/follower.h"
#include "src/commands/messages.h"
#include "src/commands/run.h"
#include "src/commands/queries/summary.h"
#include "src/commands/wall_clock.h"
#include "src/output/writer.h"
#include "src/stream/decoder.h"

namespace dbtrace::commands {
namespace {

constexpr size_t kFlushBytes = 64 * 1024;

// While tracing, messages must not wait for a terminal that takes none.
void say(output::Writer& messages, std::string_view text) { (void)messages.write(text); }

// The commands that leave the kernel: those asked for by name, all of them, or
// those that carry text.
std::vector<uint8_t> commands_to_send(const attach::Plan& plan, const QueriesOptions& options,
                                      const model::Filter& filter) {
  std::vector<uint8_t> ids;
  const bool raw = plan.shape->layout == profiles::PacketLayout::RawPacket;
  for (int id = 0; id < 256; ++id) {
    const profiles::Command* command =
        profiles::find_command(*plan.profile, static_cast<uint8_t>(id));
    const profiles::TextRule rule = !command ? profiles::TextRule::None
                                    : raw    ? command->raw_packet
                                             : command->com_data;
    const bool wanted =
        options.all_commands ||
        (options.filter.commands.empty() ? rule != profiles::TextRule::None
                                         : command && filter.accepts_command(command->name));
    if (wanted) ids.push_back(static_cast<uint8_t>(id));
  }
  return ids;
}

// One traced server with everything needed to print about it.
struct Prepared {
  std::vector<attach::TracedBinary> binaries;
  std::vector<stream::EventSource> sources;
};

Result<Prepared> prepare(const std::vector<target::Server>& servers, const QueriesOptions& options,
                         const model::Filter& filter) {
  Prepared prepared;
  attach::PlanOptions plan_options = options.plan;
  // The tools that read slow logs add them up.
  if (options.format == output::Format::SlowLog) plan_options.rows_examined = true;
  for (const target::Server& server : servers) {
    auto finder = target::open_symbols(server);
    if (!finder) return tl::unexpected(finder.error());
    auto plan = attach::make_plan(*finder, *server.profile, plan_options);
    if (!plan) return tl::unexpected(plan.error());
    if (options.explain)
      fmt::print("{}{}", prepared.binaries.empty() ? "" : "\n", explain(server, *finder, *plan));
    attach::send_only(*plan, commands_to_send(*plan, options, filter));
    prepared.sources.push_back({plan->profile, plan->shape->layout});
    prepared.binaries.push_back({finder->binary().duplicate_fd(), server.pid, std::move(*plan)});
  }
  return prepared;
}

// From events to bytes: the consumer of the stream.
class QueryLog {
 public:
  // `several`: the lines tell which server they are about.
  QueryLog(const QueriesOptions& options, const model::Filter& filter, bool several,
           output::Writer& writer)
      : options_(options), filter_(filter), several_(several), writer_(writer) {
    use_width();
    if (!options_.running.show) sink_->begin(buffer_);
  }

  // After the terminal was resized, too.
  void use_width() {
    sink_ = output::make_sink({.format = options_.format,
                               .width = writer_.width(),
                               .color = writer_.is_terminal() && !std::getenv("NO_COLOR"),
                               .mark_running = !options_.running.show,
                               .show_server = several_});
  }

  void take(stream::Decoder& decoder, std::span<const std::byte> event) {
    const model::Query* query = decoder.feed(event);
    if (!query) return;
    if (query->running) {
      take_running(*query);
    } else if (ended()) {
      ++tally_.surplus;
    } else if (!filter_.accepts(*query)) {
      ++tally_.filtered;
    } else {
      sink_->write(*query, buffer_);
      ends_.push_back(buffer_.size());
      if (buffer_.size() >= kFlushBytes) flush();
    }
  }

  // Shown is what was written to its end.
  void flush() {
    std::string_view rest = buffer_;
    if (status_ == output::WriteStatus::Ok && !rest.empty()) status_ = writer_.write(rest);
    const size_t written = buffer_.size() - rest.size();
    for (const size_t end : ends_) ++(end <= written ? tally_.shown : tally_.surplus);
    buffer_.clear();
    ends_.clear();
  }

  // After all that runs was taken.
  void look_ended() {
    reported_.look_ended();
    if (!options_.running.show || ended()) return;
    table_.write(*sink_, options_.format, writer_.height(), buffer_);
    ++looks_;
  }

  [[nodiscard]] bool ended() const {
    return status_ != output::WriteStatus::Ok ||
           (options_.limit && looks_ + tally_.shown + ends_.size() >= *options_.limit);
  }
  [[nodiscard]] output::WriteStatus status() const { return status_; }
  [[nodiscard]] Tally tally(const Attachments& attachments) const {
    Tally tally = tally_;
    tally.kernel = attachments.counters();
    tally.malformed = attachments.malformed();
    return tally;
  }

 private:
  void take_running(const model::Query& query) {
    if (ended() || !filter_.accepts(query)) return;
    if (options_.running.show) {
      table_.add(query);
    } else if (reported_.is_new(query)) {
      sink_->write(query, buffer_);
      ++tally_.reported;
    }
  }

  const QueriesOptions& options_;
  const model::Filter& filter_;
  const bool several_;
  output::Writer& writer_;
  std::unique_ptr<output::Sink> sink_;
  std::string buffer_;
  std::vector<size_t> ends_;  // of the queries in `buffer_`
  output::WriteStatus status_ = output::WriteStatus::Ok;
  Tally tally_;
  RunningTable table_;
  uint64_t looks_ = 0;  // only when the table is shown
  OncePerCommand reported_;
};

std::string attached(const std::vector<target::Server>& servers, attach::Mechanism mechanism) {
  std::string text;
  for (const target::Server& server : servers)
    text += fmt::format("attached to {} with {}; Ctrl-C ends\n", describe(server),
                        attach::mechanism_name(mechanism));
  return text;
}

Result<output::Writer> open_output(const QueriesOptions& options, int stop_fd) {
  if (options.output_file.empty()) return output::Writer::standard_output(stop_fd);
  return output::Writer::file(options.output_file, stop_fd);
}

int trace(const std::vector<target::Server>& servers, Prepared prepared,
          const QueriesOptions& options, const model::Filter& filter) {
  auto stop = Stop::catch_signals();
  if (!stop) return complain(stop.error(), kFailed);
  auto writer = open_output(options, stop->fd());
  if (!writer) return complain(writer.error(), kFailed);

  attach::TracerOptions tracer_options = options.tracer;
  tracer_options.statements = options.plan.statements;
  // Nothing that has ended is shown then.
  tracer_options.slower_than_ns =
      options.running.show ? UINT64_MAX : options.filter.slower_than_ns.value_or(0);
  tracer_options.running = options.running.wanted();
  tracer_options.running_for_ns = options.running.report_ns.value_or(0);
  if (options.filter.connections.size() == 1)
    tracer_options.only_connection = options.filter.connections.front();
  Attachments attachments(tracer_options);
  if (auto added = attachments.add(std::move(prepared.binaries), std::move(prepared.sources));
      !added)
    return complain(added.error(), kFailed);
  output::Writer messages = output::Writer::standard_error();
  say(messages, attached(servers, attachments.mechanism()));
  Follower follower(options.follow);
  for (const target::Server& server : servers) follower.attached(server);

  QueryLog log(options, filter,
               servers.size() > 1 || options.follow || !options.target.executables.empty(),
               *writer);
  const Attachments::Handler take = [&log](stream::Decoder& decoder,
                                           std::span<const std::byte> event) {
    log.take(decoder, event);
  };
  std::vector<Result<target::Server>> arrivals;
  Pace pace(options.running);
  Result<void> looked;
  RunHandlers handlers;
  handlers.tick = [&] {
    attachments.set_clock_offset(wall_clock_offset());
    const bool more = attachments.drain(take);
    if (pace.due()) {
      looked = attachments.running(take);
      if (!looked) return Tick::End;
      log.look_ended();
    }
    log.flush();
    arrivals = follower.arrivals();
    return log.ended() || !arrivals.empty() ? Tick::End : more ? Tick::Busy : Tick::Idle;
  };
  handlers.resized = [&log] { log.use_width(); };
  handlers.server_ended = [&](uint32_t pid) {
    attachments.ended(pid, take);
    say(messages, fmt::format("server {} has ended{}\n", pid,
                              follower.ended(pid) ? "; waiting for its successor" : ""));
  };
  const auto greet = [&](const Result<target::Server>& server) -> Result<void> {
    if (!server) return tl::unexpected(server.error());
    auto plan = prepare({*server}, options, filter);
    auto added = plan ? attachments.add(std::move(plan->binaries), std::move(plan->sources))
                      : tl::unexpected(plan.error());
    if (!added) {
      follower.refused(*server);
      return added;
    }
    follower.attached(*server);
    say(messages, attached({*server}, attachments.mechanism()));
    return {};
  };

  RunOptions run_options;
  run_options.stop_fd = stop->fd();
  run_options.resize_fd = stop->resize_fd();
  run_options.ring_fd = attachments.ring_fd();
  run_options.output_fd = writer->fd();
  run_options.poll_milliseconds = attach::Tracer::kPollMilliseconds;
  if (options.duration_ns)
    if (auto set = stop->after(std::chrono::nanoseconds(*options.duration_ns)); !set)
      return complain(set.error(), kFailed);

  Result<Ending> ending = Ending::Asked;
  do {
    for (const Result<target::Server>& server : std::exchange(arrivals, {}))
      if (auto greeted = greet(server); !greeted) say(messages, text_of(greeted.error()));
    run_options.pids.assign(attachments.processes().begin(), attachments.processes().end());
    ending = run(run_options, handlers);
    if (!looked) ending = tl::unexpected(looked.error());
  } while (ending && !log.ended() &&
           (!arrivals.empty() || (*ending == Ending::ServersGone && options.follow)));

  attachments.detach(take);
  log.flush();
  if (!options.running.show) say(messages, summary(log.tally(attachments)));
  if (ending && log.status() != output::WriteStatus::Failed) return kDone;
  say(messages, text_of(ending ? Error{writer->error(), ""} : ending.error()));
  return kFailed;
}

}  // namespace

int run_queries(const QueriesOptions& options) {
  for (const std::string& file : options.profiles)
    if (auto added = profiles::add_profile_file(file); !added)
      return complain(added.error(), kUsage);
  model::FilterOptions filter_options = options.filter;
  for (const profiles::Profile& profile : profiles::all())
    for (const profiles::Command& command : profile.commands)
      filter_options.known_commands.emplace_back(command.name);
  if (options.plan.statements) filter_options.known_commands.emplace_back(model::kStatement);
  if (options.running.wanted() && options.format == output::Format::SlowLog)
    return complain({"a slow log has only what has ended", "--format text or json can tell more"},
                    kUsage);
  auto filter = model::Filter::create(filter_options);
  if (!filter) return complain(filter.error(), kUsage);
  if (!options.explain)
    if (auto ready = attach::preflight(); !ready) return complain(ready.error(), kFailed);
  auto servers = choose_servers(options.target);
  if (!servers) return complain(servers.error(), kUsage);
  auto prepared = prepare(*servers, options, *filter);
  if (!prepared) return complain(prepared.error(), kFailed);
  if (options.explain) return kDone;
  return trace(*servers, std::move(*prepared), options, *filter);
}

}  // namespace dbtrace::commands
