#include "src/commands/queries/queries.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "src/commands/messages.h"
#include "src/commands/tracing/attachments.h"
#include "src/commands/tracing/options.h"
#include "src/commands/tracing/stack_options.h"
#include "src/commands/tracing/stack_watch.h"
#include "src/commands/tracing/summary.h"
#include "src/output/writer.h"
#include "src/stream/decoder.h"

namespace dbtrace::commands {
namespace {

constexpr size_t kFlushBytes = 64 * 1024;
constexpr size_t kHeaviestStacks = 3;

// From events to bytes: the consumer of the stream.
class QueryLog final : public Consumer {
 public:
  QueryLog(const QueriesOptions& options, const model::Filter& filter, const Session& session,
           output::Writer& writer)
      : options_(options),
        filter_(filter),
        several_(session.several()),
        writer_(writer),
        pace_(pace_of(options.running)) {
    if (options.session.tracer.stacks) {
      stacks_.emplace(*options.session.tracer.stacks, false);
      stacks_->get_ready(session.servers());
    }
    use_width();
    if (!options_.running.show) sink_->begin(buffer_);
  }

  void resized() override { use_width(); }

  void take_stack(std::span<const std::byte> event) override {
    if (stacks_) stacks_->take(event);
  }

  Result<bool> tick(Attachments& attachments) override {
    if (attachments.has_shed(attach::Feature::Stacks)) stacks_.reset();
    if (stacks_)
      if (auto looked = stacks_->tick(attachments); !looked) return tl::unexpected(looked.error());
    if (pace_.due()) {
      if (auto told = attachments.running(
              [this](stream::Decoder& decoder, std::span<const std::byte> event) {
                take(decoder, event);
              });
          !told)
        return tl::unexpected(told.error());
      look_ended();
    }
    flush();
    return ended();
  }

  void take(stream::Decoder& decoder, std::span<const std::byte> event) override {
    const model::Query* query = decoder.feed(event);
    if (!query) return;
    if (query->running) {
      take_running(*query, decoder);
    } else if (ended()) {
      ++tally_.surplus;
    } else if (!filter_.accepts(*query)) {
      ++tally_.filtered;
    } else {
      sink_->write(with_stacks(*query, decoder), buffer_);
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

  [[nodiscard]] bool ended() const {
    return status_ != output::WriteStatus::Ok ||
           (options_.limit && looks_ + tally_.shown + ends_.size() >= *options_.limit);
  }
  [[nodiscard]] output::WriteStatus status() const { return status_; }
  [[nodiscard]] Result<std::string> account(const Attachments& attachments) const {
    if (options_.running.show) return "";
    return completed(tally_, attachments).map(summary);
  }

 private:
  void use_width() {
    sink_ = output::make_sink({.format = options_.format,
                               .width = writer_.width(),
                               .color = writer_.is_terminal() && !std::getenv("NO_COLOR"),
                               .mark_running = !options_.running.show,
                               .show_server = several_,
                               .budget = options_.session.tracer.budget && !options_.running.show});
  }

  // After all that runs was taken.
  void look_ended() {
    reported_.look_ended();
    if (!options_.running.show || ended()) return;
    table_.write(*sink_, options_.format, writer_.height(), buffer_);
    ++looks_;
  }

  // The query, or a copy that also has its heaviest stacks.
  const model::Query& with_stacks(const model::Query& query, const stream::Decoder& decoder) {
    if (!stacks_) return query;
    with_stacks_ = query;
    with_stacks_.stacks = heaviest(stacks_->of(query, decoder), stacks_->frames(), kHeaviestStacks);
    return with_stacks_;
  }

  void take_running(const model::Query& query, const stream::Decoder& decoder) {
    if (ended() || !filter_.accepts(query)) return;
    if (options_.running.show) {
      table_.add(with_stacks(query, decoder));
    } else if (reported_.is_new(query)) {
      sink_->write(with_stacks(query, decoder), buffer_);
      ++tally_.reported;
    }
  }

  const QueriesOptions& options_;
  const model::Filter& filter_;
  const bool several_;  // the lines tell which server they are about
  output::Writer& writer_;
  std::unique_ptr<output::Sink> sink_;
  std::string buffer_;
  std::vector<size_t> ends_;  // of the queries in `buffer_`
  output::WriteStatus status_ = output::WriteStatus::Ok;
  Tally tally_;
  std::optional<StackWatch> stacks_;
  model::Query with_stacks_;
  RunningTable table_;
  uint64_t looks_ = 0;  // only when the table is shown
  OncePerCommand reported_;
  Pace pace_;
};

SessionOptions session_options(const QueriesOptions& options) {
  SessionOptions session = options.session;
  // The tools that read slow logs add them up.
  if (options.format == output::Format::SlowLog) session.plan.rows_examined = true;
  session.plan.waits = session.tracer.budget;
  session.tracer.statements = session.plan.statements;
  if (session.tracer.stacks)
    watch_stacks(options.choice.filter.slower_than_ns.value_or(0), session.tracer);
  choose_in_kernel(options.choice, session.tracer);
  // Nothing that has ended is shown then.
  if (options.running.show) session.tracer.slower_than_ns = UINT64_MAX;
  session.tracer.running = options.running.wanted();
  session.tracer.running_for_ns = options.running.report_ns.value_or(0);
  return session;
}

int trace(Session& session, const QueriesOptions& options, const model::Filter& filter) {
  auto writer = open_output(options.output_file, session.stop_fd());
  if (!writer) return complain(writer.error(), kFailed);
  QueryLog log(options, filter, session, *writer);
  if (auto attached = session.attach(); !attached)
    return complain(attached.error().error, attached.error().exit_code);
  Result<void> ran = session.run(log, *writer);
  session.detach(log);
  log.flush();
  if (ran && log.status() == output::WriteStatus::Failed) ran = fail(writer->error());
  return session.conclude(log.account(session.attachments()), ran);
}

// Formats that are some servers' own: they have no place for what others tell.
struct OwnLog {
  output::Format format;
  std::string_view option;
  profiles::Protocol servers;
};
constexpr OwnLog kOwnLogs[] = {
    {output::Format::SlowLog, "--format slowlog", profiles::Protocol::MySql},
    {output::Format::PgLog, "--format pglog", profiles::Protocol::Postgres},
};

Result<void> check_format(output::Format format, const std::vector<target::Server>& servers) {
  const auto* const chosen = std::ranges::find(kOwnLogs, format, &OwnLog::format);
  if (chosen == std::end(kOwnLogs)) return {};
  for (const target::Server& server : servers) {
    const auto* const own =
        std::ranges::find(kOwnLogs, server.profile->canary.protocol, &OwnLog::servers);
    if (own == chosen) continue;
    const std::string pid = server.pid ? fmt::format(" (pid {})", server.pid) : "";  // --exe
    return fail(fmt::format("{} is not for {}{}", chosen->option, server.profile->title, pid),
                own == std::end(kOwnLogs) ? "--format json is" : fmt::format("{} is", own->option));
  }
  return {};
}

}  // namespace

int run_queries(const QueriesOptions& options) {
  if (options.session.tracer.stacks && options.format == output::Format::SlowLog)
    return complain({"a slow log has no place for stacks", "--format text or json has"}, kUsage);
  if (options.running.wanted() && options.format == output::Format::SlowLog)
    return complain({"a slow log has only what has ended", "--format text or json can tell more"},
                    kUsage);
  auto filter = make_filter(options.choice, options.session.plan.statements);
  if (!filter) return complain(filter.error(), kUsage);
  auto session = Session::prepare(session_options(options), [&](const attach::Plan& plan) {
    // PostgreSQL's own log has what clients wait for, and no more.
    return options.format == output::Format::PgLog
               ? commands_to_count(plan, options.choice, *filter)
               : commands_to_send(plan, options.choice, *filter);
  });
  if (!session) return complain(session.error().error, session.error().exit_code);
  if (auto fits = check_format(options.format, session->servers()); !fits)
    return complain(fits.error(), kUsage);
  if (!options.session.explain) return trace(*session, options, *filter);
  fmt::print("{}", session->explanation());
  return kDone;
}

}  // namespace dbtrace::commands
