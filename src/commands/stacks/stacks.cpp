#include "src/commands/stacks/stacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "src/commands/messages.h"
#include "src/commands/stacks/profiles.h"
#include "src/commands/tracing/options.h"
#include "src/commands/tracing/stack_options.h"
#include "src/commands/tracing/stack_watch.h"
#include "src/commands/tracing/summary.h"
#include "src/output/counted.h"
#include "src/output/redact.h"
#include "src/output/writer.h"
#include "src/stacks/beginning.h"

namespace dbtrace::commands {
namespace {

// In one file that is written at the end, one query more is one more to choose from.
constexpr size_t kMostInOneFile = 200;

// Formats that are one file, written when all is known.
bool is_one_file(output::StackFormat format) {
  using output::StackFormat;
  return format == StackFormat::Speedscope || format == StackFormat::Svg ||
         format == StackFormat::Html;
}

class StackLog final : public Consumer {
 public:
  StackLog(const StacksOptions& options, const model::Filter& filter, const Session& session,
           output::Writer& writer)
      : options_(options),
        filter_(filter),
        writer_(writer),
        watch_(*options.session.tracer.stacks, options.lines),
        slowest_(kMostInOneFile) {
    if (options.by) {
      kinds::KindOptions by = *options.by;
      by.several_servers = session.several();
      by.redact = &output::redact;
      kinds_.emplace(by);
    }
    watch_.get_ready(session.servers());
    resized();
  }

  void resized() override {
    sink_ = output::make_stack_sink({.format = options_.format,
                                     .width = writer_.width(),
                                     .color = writer_.is_terminal() && !std::getenv("NO_COLOR")},
                                    watch_.frames());
  }

  void take_stack(std::span<const std::byte> event) override { watch_.take(event); }

  void take(stream::Decoder& decoder, std::span<const std::byte> event) override {
    const model::Query* query = decoder.feed(event);
    if (!query || query->running != options_.running) return;
    if (ended()) {
      ++tally_.surplus;
    } else if (!filter_.accepts(*query)) {
      ++tally_.filtered;
    } else {
      ++tally_.shown;
      keep(*query, watch_.of(*query, decoder));
    }
  }

  Result<bool> tick(Attachments& attachments) override {
    if (auto looked = watch_.tick(attachments); !looked) return tl::unexpected(looked.error());
    flush();
    return ended();
  }

  void ending(Attachments& attachments) override {
    if (!options_.running) return;
    (void)watch_.tick(attachments);
    (void)attachments.running([this](stream::Decoder& decoder, std::span<const std::byte> event) {
      take(decoder, event);
    });
  }

  // Writes what is shown only when all is known.
  void finish() {
    if (kinds_)
      for (const model::StackProfile& profile : kinds_->take()) sink_->add(profile, buffer_);
    for (const model::StackProfile& profile : slowest_.take()) sink_->add(profile, buffer_);
    sink_->finish(buffer_);
    flush();
  }

  [[nodiscard]] output::WriteStatus status() const { return status_; }
  [[nodiscard]] Result<std::string> account(const Attachments& attachments) const {
    auto tally = completed(tally_, attachments);
    if (!tally) return tl::unexpected(tally.error());
    tally->malformed += watch_.malformed();
    std::string text = summary(*tally);
    if (watch_.dropped())
      text += fmt::format("  {} forgotten: too much memory\n",
                          output::counted(watch_.dropped(), "stack"));
    if (slowest_.left_out())
      text += fmt::format("  {} left out: only the {} slowest are in the file\n",
                          output::counted(slowest_.left_out(), "query", "queries"), kMostInOneFile);
    return text;
  }

 private:
  [[nodiscard]] bool ended() const {
    return status_ != output::WriteStatus::Ok ||
           (options_.limit && tally_.shown >= *options_.limit);
  }

  void keep(const model::Query& query, std::vector<model::Sample> samples) {
    if (!options_.from.empty()) stacks::begin_at(options_.from, samples, watch_.frames());
    if (kinds_) return kinds_->add(query, samples);
    model::StackProfile profile = profile_of(query, std::move(samples));
    is_one_file(options_.format) ? slowest_.add(std::move(profile)) : sink_->add(profile, buffer_);
  }

  void flush() {
    std::string_view rest = buffer_;
    if (status_ == output::WriteStatus::Ok && !rest.empty()) status_ = writer_.write(rest);
    buffer_.clear();
  }

  const StacksOptions& options_;
  const model::Filter& filter_;
  output::Writer& writer_;
  StackWatch watch_;
  std::unique_ptr<output::StackSink> sink_;
  std::optional<KindProfiles> kinds_;
  SlowestProfiles slowest_;
  std::string buffer_;
  output::WriteStatus status_ = output::WriteStatus::Ok;
  Tally tally_;
};

SessionOptions session_options(const StacksOptions& options) {
  SessionOptions session = options.session;
  session.plan.waits = true;
  session.tracer.budget = true;
  session.says_losses = !options.running;
  session.droppable = {attach::Feature::Files};
  choose_in_kernel(options.choice, session.tracer);
  watch_stacks(options.running ? 0 : session.tracer.slower_than_ns, session.tracer);
  if (!options.running) return session;
  session.tracer.running = true;
  session.tracer.running_for_ns = session.tracer.slower_than_ns;
  session.tracer.slower_than_ns = UINT64_MAX;  // what has ended is not shown
  constexpr uint64_t kLook_ns = 1'000'000'000;
  if (!session.duration_ns) session.duration_ns = kLook_ns;
  return session;
}

int trace(Session& session, const StacksOptions& options, const model::Filter& filter) {
  auto writer = open_output(options.output_file, session.stop_fd());
  if (!writer) return complain(writer.error(), kFailed);
  StackLog log(options, filter, session, *writer);
  if (auto attached = session.attach(); !attached)
    return complain(attached.error().error, attached.error().exit_code);
  Result<void> ran = session.run(log, *writer);
  session.detach(log);
  log.finish();
  if (ran && log.status() == output::WriteStatus::Failed) ran = fail(writer->error());
  return session.conclude(log.account(session.attachments()), ran);
}

}  // namespace

int run_stacks(const StacksOptions& options) {
  auto filter = make_filter(options.choice, false);
  if (!filter) return complain(filter.error(), kUsage);
  auto session = Session::prepare(session_options(options), [&](const attach::Plan& plan) {
    return commands_to_send(plan, options.choice, *filter);
  });
  if (!session) return complain(session.error().error, session.error().exit_code);
  if (!options.session.explain) return trace(*session, options, *filter);
  fmt::print("{}", session->explanation());
  return kDone;
}

}  // namespace dbtrace::commands
