#include "src/commands/io/io.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <utility>

#include "src/commands/io/process_names.h"
#include "src/commands/io/query_join.h"
#include "src/commands/io/recorded.h"
#include "src/commands/io/view.h"
#include "src/commands/messages.h"
#include "src/commands/pace.h"
#include "src/commands/wall_clock.h"
#include "src/output/writer.h"
#include "symbols/glob.h"

namespace dbtrace::commands {
namespace {

bool any_matches(const std::vector<std::string>& patterns, const std::string& name) {
  return patterns.empty() || std::ranges::any_of(patterns, [&name](const std::string& pattern) {
           return symbols::glob_matches(pattern, name);
         });
}

// "shop.orders (partition p0)" is "shop.orders" and "orders", too, "shop.public.orders" also
// "public.orders" and "orders".
bool is_table(const std::vector<std::string>& patterns, const std::string& content) {
  if (any_matches(patterns, content)) return true;
  std::string table = content.substr(0, content.find(" ("));
  while (!any_matches(patterns, table)) {
    const size_t dot = table.find('.');
    if (dot == std::string::npos) return false;
    table.erase(0, dot + 1);
  }
  return true;
}

// From events to the view: the consumer of the stream.
class IoLog final : public Consumer {
 public:
  IoLog(const IoOptions& options, ProcessNames names, IoView& view)
      : view_(view),
        names_(std::move(names)),
        pace_(Pace::after_each(std::chrono::nanoseconds(options.interval_ns))),
        join_([this](const model::IoOperation& operation,
                     const model::Query* query) { view_.take(operation, query); },
              options.session.remembered) {}

  void resized() override { view_.resized(); }

  void take(stream::Decoder& decoder, std::span<const std::byte> event) override {
    if (const model::Query* query = decoder.feed(event)) {
      join_.command(*query, QueryJoin::Clock::now());
      return;
    }
    const model::IoOperation* operation = decoder.operation();
    if (!operation || !view_.wants(*operation)) return;
    if (operation->command_start_ns && view_.needs_queries())
      join_.add(*operation, QueryJoin::Clock::now());
    else
      view_.take(names_.named(*operation), nullptr);
  }

  Result<bool> tick(Attachments& attachments) override {
    if (join_.wants_look(QueryJoin::Clock::now()))
      if (auto looked = look(attachments); !looked) return tl::unexpected(looked.error());
    if (!view_.is_list() && pace_.due()) {
      rename(attachments);
      const auto counters = attachments.counters();
      if (!counters) return tl::unexpected(counters.error());
      show_interval(*counters);
    }
    view_.flush();
    return view_.has_ended();
  }

  // Names of files may become known late.
  void rename(Attachments& attachments) {
    for (const auto& [from, to] : attachments.take_renamed_files()) view_.rename_table(from, to);
  }

  // Commands that go on are known by their text only as long as there are probes.
  void ending(Attachments& attachments) override {
    if (view_.needs_queries()) (void)look(attachments);
    rename(attachments);
  }

  // After the probes are gone.
  void finish(const attach::Counters& counters) {
    join_.finish();
    view_.finish({true, nanoseconds_of(CLOCK_REALTIME), nanoseconds_of(CLOCK_MONOTONIC) - begin_},
                 counters[DBT_COUNT_OPERATIONS_LOST]);
  }

  [[nodiscard]] std::string summary(const attach::Counters& counters, uint64_t malformed) const;

 private:
  Result<void> look(Attachments& attachments) {
    auto told =
        attachments.running([this](stream::Decoder& decoder, std::span<const std::byte> event) {
          take(decoder, event);
        });
    join_.looked(QueryJoin::Clock::now());
    return told;
  }

  void show_interval(const attach::Counters& counters) {
    const uint64_t now = nanoseconds_of(CLOCK_MONOTONIC);
    const uint64_t lost = counters[DBT_COUNT_OPERATIONS_LOST];
    view_.end_interval(
        {false, nanoseconds_of(CLOCK_REALTIME), now - std::exchange(interval_begin_, now)},
        lost - std::exchange(lost_before_, lost));
  }

  IoView& view_;
  ProcessNames names_;
  Pace pace_;
  QueryJoin join_;
  uint64_t begin_ = nanoseconds_of(CLOCK_MONOTONIC);
  uint64_t interval_begin_ = begin_;
  uint64_t lost_before_ = 0;  // up to the interval's begin
};

// What was seen, and everything that was lost.
std::string IoLog::summary(const attach::Counters& counters, uint64_t malformed) const {
  const uint64_t lost = counters[DBT_COUNT_OPERATIONS_LOST];
  std::string text = fmt::format("{} file operations seen: {} {}, {} filtered, {} lost",
                                 counters[DBT_COUNT_OPERATIONS] + lost, view_.told(),
                                 view_.told_as(), view_.filtered(), lost);
  if (join_.unknown()) text += fmt::format("; of {} the query is unknown", join_.unknown());
  text += "\n";
  const auto line = [&](uint64_t count, std::string_view what) {
    if (count) text += fmt::format("  {} {}\n", count, what);
  };
  line(lost, "operations found the buffer full; a larger --buffer helps");
  if (view_.needs_queries()) {
    line(counters[DBT_COUNT_LOST_RING_FULL],
         "queries found the buffer full; a larger --buffer helps");
    line(counters[DBT_COUNT_LOST_NO_STATE], "queries found no memory in the kernel");
  }
  line(malformed, "events could not be decoded; please report this");
  return text;
}

SessionOptions session_options(const IoOptions& options) {
  const bool needs_queries = options.slower_than_ns || IoSubjects(options.by).needs_queries();
  SessionOptions session = options.session;
  session.tracer.operations = true;
  session.droppable = {};
  session.tracer.operations_slower_than_ns = options.slower_than_ns.value_or(0);
  session.tracer.files_of_all_threads = true;
  session.tracer.running = needs_queries;
  if (!needs_queries) session.tracer.slower_than_ns = UINT64_MAX;
  return session;
}

// Files are read and written in commands of all kinds.
std::vector<uint8_t> all_commands(const attach::Plan&) {
  std::vector<uint8_t> ids(256);
  std::iota(ids.begin(), ids.end(), uint8_t{0});
  return ids;
}

int trace(Session& session, const IoOptions& options) {
  auto writer = output::Writer::standard_output(session.stop_fd());
  if (auto attached = session.attach(); !attached)
    return complain(attached.error().error, attached.error().exit_code);
  if (!options.session.target.executables.empty())
    session.say(
        "note: with --exe only operations in queries are seen, not those of background "
        "threads; -p PID shows both\n");
  IoView view(options, session.several(), writer);
  IoLog log(options, ProcessNames(session.servers()), view);
  Result<void> ran = session.run(log, writer);
  session.detach(log);
  const auto account = session.attachments().counters().map([&](const attach::Counters& counters) {
    log.finish(counters);
    return log.summary(counters, session.attachments().malformed());
  });
  if (ran && view.status() == output::WriteStatus::Failed) ran = fail(writer.error());
  return session.conclude(account, ran);
}

}  // namespace

bool IoFilter::accepts(const model::IoOperation& operation) const {
  return (operations.empty() || std::ranges::count(operations, operation.operation) != 0) &&
         is_table(tables, operation.file.content) && any_matches(files, operation.file.name);
}

int run_io(const IoOptions& options) {
  if (!options.from.empty()) return show_recorded_io(options);
  if (options.session.file_io == attach::FileHook::None)
    return complain({"--file-io none leaves nothing to show", ""}, kUsage);
  auto session = Session::prepare(session_options(options), all_commands);
  if (!session) return complain(session.error().error, session.error().exit_code);
  if (!options.session.explain) return trace(*session, options);
  fmt::print("{}", session->explanation());
  return kDone;
}

}  // namespace dbtrace::commands
