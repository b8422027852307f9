#include "src/commands/stacks/stacks.h"

#include <fmt/format.h>

#include <utility>

#include "src/commands/messages.h"
#include "src/commands/stacks/recorded.h"
#include "src/commands/stacks/stack_view.h"
#include "src/commands/tracing/options.h"
#include "src/commands/tracing/stack_options.h"
#include "src/commands/tracing/stack_watch.h"
#include "src/commands/tracing/summary.h"
#include "src/output/counted.h"
#include "src/output/writer.h"

namespace dbtrace::commands {
namespace {

class StackLog final : public Consumer {
 public:
  StackLog(const StacksOptions& options, const model::Filter& filter, const Session& session,
           output::Writer& writer)
      : options_(options),
        watch_(*options.session.tracer.stacks, options.lines),
        view_(options, filter, session.several(), watch_.frames(), writer) {
    watch_.get_ready(session.servers());
  }

  void resized() override { view_.resized(); }

  void take_stack(std::span<const std::byte> event) override { watch_.take(event); }

  void take(stream::Decoder& decoder, std::span<const std::byte> event) override {
    const model::Query* query = decoder.feed(event);
    if (!query || query->running != options_.running) return;
    if (view_.wants(*query)) view_.show(*query, watch_.of(*query, decoder));
  }

  Result<bool> tick(Attachments& attachments) override {
    if (auto looked = watch_.tick(attachments); !looked) return tl::unexpected(looked.error());
    view_.flush();
    return view_.ended();
  }

  void ending(Attachments& attachments) override {
    if (!options_.running) return;
    (void)watch_.tick(attachments);
    (void)attachments.running([this](stream::Decoder& decoder, std::span<const std::byte> event) {
      take(decoder, event);
    });
  }

  void finish() { view_.finish(); }

  [[nodiscard]] output::WriteStatus status() const { return view_.status(); }
  [[nodiscard]] Result<std::string> account(const Attachments& attachments) const {
    auto tally = completed(view_.tally(), attachments);
    if (!tally) return tl::unexpected(tally.error());
    tally->malformed += watch_.malformed();
    std::string text = summary(*tally);
    if (watch_.dropped())
      text += fmt::format("  {} forgotten: too much memory\n",
                          output::counted(watch_.dropped(), "stack"));
    return text + view_.left_out();
  }

 private:
  const StacksOptions& options_;
  StackWatch watch_;
  StackView view_;
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
  if (!options.from.empty()) return show_recorded_stacks(options);
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
