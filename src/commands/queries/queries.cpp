#include "src/commands/queries/queries.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "src/commands/messages.h"
#include "src/commands/queries/own_log.h"
#include "src/commands/queries/query_view.h"
#include "src/commands/queries/recorded.h"
#include "src/commands/replay/replay.h"
#include "src/commands/tracing/attachments.h"
#include "src/commands/tracing/options.h"
#include "src/commands/tracing/query_stacks.h"
#include "src/commands/tracing/stack_options.h"
#include "src/commands/tracing/summary.h"
#include "src/output/writer.h"
#include "src/stream/decoder.h"

namespace dbtrace::commands {
namespace {

// From events to what is shown: the consumer of the stream.
class QueryLog final : public Consumer {
 public:
  QueryLog(const QueriesOptions& options, const model::Filter& filter, const Session& session,
           output::Writer& writer)
      : options_(options),
        view_(options, filter, session.several(), writer),
        stacks_(options.session.tracer.stacks, session.servers(), QueryStacks::Keep::Heaviest),
        pace_(pace_of(options.running)) {}

  void resized() override { view_.resized(); }

  void take_loss(const output::Lost& lost) override { view_.lost(lost); }

  void take_stack(std::span<const std::byte> event) override { stacks_.take(event); }

  Result<bool> tick(Attachments& attachments) override {
    if (auto looked = stacks_.tick(attachments); !looked) return tl::unexpected(looked.error());
    if (pace_.due()) {
      if (auto told = attachments.running(
              [this](stream::Decoder& decoder, std::span<const std::byte> event) {
                take(decoder, event);
              });
          !told)
        return tl::unexpected(told.error());
      look_ended();
    }
    view_.flush();
    return view_.ended();
  }

  void take(stream::Decoder& decoder, std::span<const std::byte> event) override {
    const model::Query* query = decoder.feed(event);
    if (!query) return;
    if (query->running)
      take_running(*query, decoder);
    else if (view_.wants(*query))
      view_.show(stacks_.with_stacks(*query, decoder));
  }

  void flush() { view_.flush(); }
  [[nodiscard]] output::WriteStatus status() const { return view_.status(); }
  [[nodiscard]] Result<std::string> account(const Attachments& attachments) const {
    if (options_.running.show) return "";
    return completed(view_.tally(), attachments).map(summary);
  }

 private:
  // After all that runs was taken.
  void look_ended() {
    reported_.look_ended();
    if (options_.running.show && !view_.ended()) view_.show_running(table_);
  }

  void take_running(const model::Query& query, const stream::Decoder& decoder) {
    if (!view_.wants_running(query)) return;
    if (options_.running.show)
      table_.add(stacks_.with_stacks(query, decoder));
    else if (reported_.is_new(query))
      view_.report(stacks_.with_stacks(query, decoder));
  }

  const QueriesOptions& options_;
  QueryView view_;
  QueryStacks stacks_;
  RunningTable table_;
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
  session.says_losses = !options.running.show;  // there, nothing that has ended is missed
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

// What a recording has, shown by the same view.
int replay(const QueriesOptions& options, const model::Filter& filter) {
  auto recording = Replay::open(options.from);
  if (!recording) return complain(recording.error(), kFailed);
  if (auto fits = check_format(options.format, recording->servers()); !fits)
    return complain(fits.error(), kUsage);
  auto writer = open_output(options.output_file, options.from);
  if (!writer) return complain(writer.error(), kFailed);
  QueryView view(options, filter, recording->has_several_servers(), *writer);
  return show_recorded(*recording, options, view, *writer);
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
  if (!options.from.empty()) return replay(options, *filter);
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
