#include "src/commands/waits/waits.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <utility>

#include "src/commands/attach_option.h"
#include "src/commands/checks.h"
#include "src/commands/messages.h"
#include "src/commands/pace.h"
#include "src/commands/replay/replay.h"
#include "src/commands/tracing/options.h"
#include "src/commands/tracing/query_choice.h"
#include "src/commands/tracing/spending_watch.h"
#include "src/commands/tracing/summary.h"
#include "src/commands/units.h"
#include "src/commands/waits/recorded.h"
#include "src/commands/waits/view.h"

namespace dbtrace::commands {
namespace {

constexpr const char* kExamples = R"(Examples:
  dbtrace waits                          every 5 s, and the whole run at its end (Ctrl-C)
  dbtrace waits --interval 1s            every second
  dbtrace waits --duration 30s           half a minute
  dbtrace waits --histograms             also how long the waits of each interval were
  dbtrace waits --format json            one JSON object an interval
  dbtrace waits --from r.dbt             of a recording (dbtrace record), not of a server

Exit status: 0 done, 1 failed, 2 wrong usage or no server to trace,
3 --max-overhead ended it.)";

constexpr const char* kGroup = "When to end (else: Ctrl-C)";

constexpr uint64_t kShortestInterval_ns = 100'000'000;

// Takes no events: the kernel has the sums.
class Waits final : public Consumer {
 public:
  Waits(const WaitsOptions& options, WaitsView& view)
      : view_(view), pace_(Pace::after_each(std::chrono::nanoseconds(options.interval_ns))) {}

  void resized() override { view_.resized(); }

  void take(stream::Decoder&, std::span<const std::byte>) override {}

  Result<bool> tick(Attachments& attachments) override {
    if (!pace_.due()) return view_.has_ended();
    auto spent = watch_.since_last(attachments);
    if (!spent) return tl::unexpected(spent.error());
    view_.show(std::move(*spent), false);
    return view_.has_ended();
  }

  // The last interval is a part of the total, which needs no look of its own.
  [[nodiscard]] Result<void> finish(const Attachments& attachments) {
    return watch_.since_begin(attachments).map([this](model::Spending spent) {
      view_.show(std::move(spent), true);
    });
  }

 private:
  WaitsView& view_;
  Pace pace_;
  SpendingWatch watch_;
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
  add_from_option(*command, options.from, {"--interval", "--histograms", "--format"});
  return command;
}

int run_waits(const WaitsOptions& options) {
  if (!options.from.empty()) return show_recorded_waits(options);
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
  WaitsView view(options, writer);
  Waits waits(options, view);
  Result<void> ran = session->run(waits, writer);
  session->detach(waits);
  if (ran) ran = waits.finish(session->attachments());
  if (ran && view.status() == output::WriteStatus::Failed) ran = fail(writer.error());
  return session->conclude(session->attachments().counters().map(losses), ran);
}

}  // namespace dbtrace::commands
