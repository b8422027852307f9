#include "src/commands/waits/waits.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdlib>
#include <ctime>

#include "src/commands/attach_option.h"
#include "src/commands/checks.h"
#include "src/commands/messages.h"
#include "src/commands/pace.h"
#include "src/commands/tracing/options.h"
#include "src/commands/tracing/query_choice.h"
#include "src/commands/tracing/summary.h"
#include "src/commands/units.h"
#include "src/commands/wall_clock.h"

namespace dbtrace::commands {
namespace {

constexpr const char* kExamples = R"(Examples:
  dbtrace waits                          every 5 s, and the whole run at its end (Ctrl-C)
  dbtrace waits --interval 1s            every second
  dbtrace waits --duration 30s           half a minute
  dbtrace waits --histograms             also how long the waits of each interval were
  dbtrace waits --format json            one JSON object an interval

Exit status: 0 done, 1 failed, 2 wrong usage or no server to trace,
3 --max-overhead ended it.)";

constexpr const char* kGroup = "When to end (else: Ctrl-C)";

constexpr uint64_t kShortestInterval_ns = 100'000'000;

// Takes no events: the kernel has the sums.
class Waits final : public Consumer {
 public:
  Waits(const WaitsOptions& options, output::Writer& writer)
      : writer_(writer),
        report_(
            options.format == WaitsFormat::Json
                ? waits_json()
                : waits_text(options.histograms, writer.is_terminal() && !std::getenv("NO_COLOR"))),
        pace_(Pace::after_each(std::chrono::nanoseconds(options.interval_ns))) {
    resized();
  }

  void resized() override { report_->set_width(writer_.width()); }

  void take(stream::Decoder&, std::span<const std::byte>) override {}

  Result<bool> tick(Attachments& attachments) override {
    if (!pace_.due()) return status_ != output::WriteStatus::Ok;
    return look(attachments, false);
  }

  // The last interval is a part of the total, which needs no look of its own.
  [[nodiscard]] Result<bool> finish(const Attachments& attachments) {
    return look(attachments, true);
  }

  [[nodiscard]] output::WriteStatus status() const { return status_; }

 private:
  Result<bool> look(const Attachments& attachments, bool total) {
    // As close to the sums' own moment as can be: it is at the begin of their reading.
    const uint64_t now = nanoseconds_of(CLOCK_MONOTONIC);
    const auto counters = attachments.counters();
    if (!counters) return tl::unexpected(counters.error());
    auto sums = attachments.wait_sums();
    if (!sums) return tl::unexpected(sums.error());
    const uint64_t queries = (*counters)[DBT_COUNT_FINISHED] - (*counters)[DBT_COUNT_HIDDEN];
    const State state{.time_ns = now, .queries = queries, .sums = *sums};
    const State& since = total ? begin_ : before_;

    WaitsInterval interval{.end_ns = nanoseconds_of(CLOCK_REALTIME),
                           .length_ns = now - since.time_ns,
                           .total = total,
                           .queries = queries - since.queries,
                           .sums = std::move(*sums)};
    interval.sums.subtract(since.sums);
    std::string out;
    report_->add(interval, out);
    std::string_view rest = out;
    if (status_ == output::WriteStatus::Ok) status_ = writer_.write(rest);
    before_ = state;
    return status_ != output::WriteStatus::Ok;
  }

  struct State {
    uint64_t time_ns = 0;
    uint64_t queries = 0;
    model::WaitSums sums;
  };
  output::Writer& writer_;
  std::unique_ptr<WaitsReport> report_;
  Pace pace_;
  State begin_{.time_ns = nanoseconds_of(CLOCK_MONOTONIC), .queries = 0, .sums = {}};
  State before_ = begin_;
  output::WriteStatus status_ = output::WriteStatus::Ok;
};

}  // namespace

CLI::App* add_waits_command(CLI::App& app, WaitsOptions& options) {
  CLI::App* command =
      app.add_subcommand("waits", "Show where all query time of the server goes, by cause");
  command->footer(kExamples);
  add_explain_option(*command, options.session);
  add_server_options(*command, options.session);
  command->add_option("--interval", options.interval_ns, "Time from one table to the next [5s]")
      ->transform(quantity(parse_duration, kShortestInterval_ns, INT64_MAX))
      ->type_name("TIME");
  add_duration_option(*command, options.session, kGroup);
  add_follow_option(*command, options.session, kGroup);
  command->add_flag("--histograms", options.histograms,
                    "Draw how long waits were for each interval, too");
  command->add_option("--format", options.format, "text or json (one object an interval)")
      ->transform(one_of<WaitsFormat>({{"text", WaitsFormat::Text}, {"json", WaitsFormat::Json}}))
      ->type_name("FORMAT");
  add_attach_option(*command, options.session.tracer.mechanism, "Mechanics");
  add_max_overhead_option(*command, options.session.max_overhead, "Mechanics");
  return command;
}

int run_waits(const WaitsOptions& options) {
  SessionOptions session_options = options.session;
  session_options.plan.waits = true;
  session_options.tracer.waits = true;
  session_options.droppable = {};
  session_options.tracer.slower_than_ns = UINT64_MAX;  // no query leaves the kernel
  auto session = Session::prepare(session_options, [](const attach::Plan& plan) {
    return without_background(plan, Session::commands_with_text(plan));
  });
  if (!session) return complain(session.error().error, session.error().exit_code);
  output::Writer writer = output::Writer::standard_output(session->stop_fd());
  if (options.session.explain) {
    std::string_view text = session->explanation();
    return writer.write(text) == output::WriteStatus::Failed ? kFailed : kDone;
  }
  if (auto attached = session->attach(); !attached)
    return complain(attached.error().error, attached.error().exit_code);
  Waits waits(options, writer);
  Result<void> ran = session->run(waits, writer);
  session->detach(waits);
  if (ran)
    if (auto told = waits.finish(session->attachments()); !told) ran = tl::unexpected(told.error());
  if (ran && waits.status() == output::WriteStatus::Failed) ran = fail(writer.error());
  return session->conclude(session->attachments().counters().map(losses), ran);
}

}  // namespace dbtrace::commands
