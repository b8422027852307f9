#include "src/commands/histogram/histogram.h"

#include <fmt/format.h>

#include "src/commands/histogram/counter.h"
#include "src/commands/histogram/recorded.h"
#include "src/commands/histogram/who_counts.h"
#include "src/commands/messages.h"
#include "src/commands/replay/replay.h"
#include "src/commands/tracing/options.h"
#include "src/output/whole_file.h"

namespace dbtrace::commands {
namespace {

// Prometheus's file is replaced as a whole, again and again.
bool is_replaced(const HistogramOptions& options) {
  return options.format == HistogramFormat::Prometheus && !options.output_file.empty();
}

SessionOptions session_options(const HistogramOptions& options,
                               const std::optional<uint32_t>& kernel_key) {
  SessionOptions session = options.session;
  session.plan.waits = session.tracer.budget;
  choose_in_kernel(options.choice, session.tracer);
  session.tracer.kinds = kernel_key;
  session.new_files = !options.save_file.empty() || is_replaced(options);
  return session;
}

Result<void> check_files(const HistogramOptions& options) {
  if (!options.save_file.empty())
    if (auto can = output::can_replace(options.save_file); !can) return can;
  if (is_replaced(options)) return output::can_replace(options.output_file);
  return {};
}

int count(Session& session, const HistogramOptions& options, const model::Filter& filter,
          bool kernel_counts) {
  if (auto can = check_files(options); !can) return complain(can.error(), kFailed);
  auto writer = open_output(is_replaced(options) ? "" : options.output_file, session.stop_fd());
  if (!writer) return complain(writer.error(), kFailed);
  if (auto attached = session.attach(); !attached)
    return complain(attached.error().error, attached.error().exit_code);
  KindCounter counter(options, filter, kernel_counts, session.several(), *writer);
  Result<void> ran = session.run(counter, *writer);
  session.detach(counter);
  if (ran) ran = counter.finish(session.attachments());
  if (ran && counter.status() == output::WriteStatus::Failed) ran = fail(writer->error());
  return session.conclude(counter.tally(session.attachments()).map(summary), ran);
}

// What a recording has, counted by the same view.
int count_recorded(const HistogramOptions& options, const model::Filter& filter) {
  if (auto can = check_files(options); !can) return complain(can.error(), kFailed);
  auto replay = Replay::open(options.from);
  if (!replay) return complain(replay.error(), kFailed);
  if (auto can = can_count(replay->reader(), options); !can) return complain(can.error(), kUsage);
  auto writer = open_output(is_replaced(options) ? "" : options.output_file, -1);
  if (!writer) return complain(writer.error(), kFailed);
  KindView view(options, filter, replay->has_several_servers(), *writer);
  Result<void> ran = count(*replay, options, view);
  if (ran) ran = view.finish(replay->span(), losses_of(*replay));
  if (ran && view.status() == output::WriteStatus::Failed) ran = fail(writer->error());
  Tally tally;
  tally.shown = view.counted();
  tally.shown_as = "counted";
  tally.filtered = view.filtered();
  return replay->conclude(tally, ran);
}

}  // namespace

int run_histogram(const HistogramOptions& options) {
  if (options.sort == kinds::SortKey::Io && !options.session.tracer.budget && options.from.empty())
    return complain({"--sort io needs --budget", "file operations are seen with it only"}, kUsage);
  auto filter = make_filter(options.choice, false);
  if (!filter) return complain(filter.error(), kUsage);
  if (!options.from.empty()) return count_recorded(options, *filter);
  auto key = who_counts(options);
  if (!key) return complain(key.error(), kUsage);
  auto session = Session::prepare(session_options(options, *key), [&](const attach::Plan& plan) {
    return commands_to_count(plan, options.choice, *filter);
  });
  if (!session) return complain(session.error().error, session.error().exit_code);
  if (!options.session.explain) return count(*session, options, *filter, key->has_value());
  fmt::print("{}", session->explanation());
  return kDone;
}

}  // namespace dbtrace::commands
