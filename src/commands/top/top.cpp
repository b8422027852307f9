#include "src/commands/top/top.h"

#include <optional>

#include "src/commands/messages.h"
#include "src/commands/top/live.h"
#include "src/commands/top/show_recorded.h"
#include "src/commands/tracing/summary.h"

namespace dbtrace::commands {
namespace {

using output::WriteStatus;
using top::Display;
using top::Live;

// Of servers. One needs the other, and the display a screen.
struct Top {
  Display display;
  Live live;

  Top(const TopOptions& options, const model::Filter& filter, const Session& session,
      output::Writer& writer, top::Screen* screen)
      : display(options, writer, screen), live(options, filter, session, display) {}
};

SessionOptions session_options(const TopOptions& options) {
  SessionOptions session = options.session;
  session.shows_cost = true;
  choose_in_kernel(options.choice, session.tracer);
  session.tracer.running = true;
  session.tracer.budget = session.tracer.waits = session.plan.waits = !options.no_budget;
  return session;
}

// Until it ends; the terminal is a shell's again then.
Result<void> run_on_screen(Session& session, const TopOptions& options, const model::Filter& filter,
                           output::Writer& writer, std::optional<Top>& top) {
  Result<void> ran;
  {
    auto screen = top::Screen::open(writer);
    if (!screen) return tl::unexpected(screen.error());
    top.emplace(options, filter, session, writer, &*screen);
    session.tell([&](std::string_view message) { top->display.say(message); });
    top->live.resized();
    ran = session.run(top->live, writer);
    session.tell({});
  }
  session.say(top->display.messages());
  return ran;
}

int trace(Session& session, const TopOptions& options, const model::Filter& filter,
          output::Writer& writer) {
  if (auto attached = session.attach(); !attached)
    return complain(attached.error().error, attached.error().exit_code);
  std::optional<Top> top;
  Result<void> ran;
  if (options.batch) {
    top.emplace(options, filter, session, writer, nullptr);
    ran = session.run(top->live, writer);
  } else {
    ran = run_on_screen(session, options, filter, writer, top);
  }
  if (top) {
    session.detach(top->live);
    if (ran) ran = top->live.finish(session.attachments());
    if (ran && top->display.status() == WriteStatus::Failed) ran = fail(writer.error());
    return session.conclude(top->live.tally(session.attachments()).map(summary), ran);
  }
  session.say(text_of(ran.error()));
  return kFailed;
}

}  // namespace

int run_top(const TopOptions& options) {
  auto filter = make_filter(options.choice, false);
  if (!filter) return complain(filter.error(), kUsage);
  if (!options.from.empty()) return top::show_recorded(options, *filter);
  auto session = Session::prepare(session_options(options), [&](const attach::Plan& plan) {
    return commands_to_count(plan, options.choice, *filter);
  });
  if (!session) return complain(session.error().error, session.error().exit_code);
  output::Writer writer = output::Writer::standard_output(session->stop_fd());
  if (!options.session.explain) return trace(*session, options, *filter, writer);
  std::string_view text = session->explanation();
  return writer.write(text) == WriteStatus::Failed ? kFailed : kDone;
}

}  // namespace dbtrace::commands
