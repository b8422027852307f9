#include "src/commands/io/io.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "src/commands/io/process_names.h"
#include "src/commands/io/query_join.h"
#include "src/commands/messages.h"
#include "src/commands/pace.h"
#include "src/commands/wall_clock.h"
#include "src/output/writer.h"
#include "symbols/glob.h"

namespace dbtrace::commands {
namespace {

constexpr size_t kFlushBytes = 64 * 1024;

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

// From events to bytes: the consumer of the stream.
class IoLog final : public Consumer {
 public:
  IoLog(const IoOptions& options, bool several, ProcessNames names, output::Writer& writer)
      : options_(options),
        is_list_(options.slower_than_ns.has_value()),
        names_(std::move(names)),
        writer_(writer),
        pace_(Pace::after_each(std::chrono::nanoseconds(options.interval_ns))),
        subjects_(options.by),
        report_(options.format == IoFormat::Json
                    ? io_json()
                    : io_text(writer.is_terminal() && !std::getenv("NO_COLOR"), several)),
        join_([this](const model::IoOperation& operation,
                     const model::Query* query) { settle(operation, query); },
              options.session.remembered) {
    resized();
    if (is_list_) report_->begin_list(buffer_);
  }

  void resized() override { report_->set_width(writer_.width()); }

  void take(stream::Decoder& decoder, std::span<const std::byte> event) override {
    if (const model::Query* query = decoder.feed(event)) {
      join_.command(*query, QueryJoin::Clock::now());
      return;
    }
    const model::IoOperation* operation = decoder.operation();
    if (!operation) return;
    if (!options_.filter.accepts(*operation))
      ++filtered_;
    else if (operation->command_start_ns && needs_queries())
      join_.add(*operation, QueryJoin::Clock::now());
    else
      settle_background(*operation);
  }

  Result<bool> tick(Attachments& attachments) override {
    if (join_.wants_look(QueryJoin::Clock::now()))
      if (auto looked = look(attachments); !looked) return tl::unexpected(looked.error());
    if (!is_list_ && pace_.due()) {
      rename(attachments);
      const auto counters = attachments.counters();
      if (!counters) return tl::unexpected(counters.error());
      show_interval(*counters);
    }
    flush();
    return status_ != output::WriteStatus::Ok;
  }

  // Names of files may become known late.
  void rename(Attachments& attachments) {
    for (const auto& [from, to] : attachments.take_renamed_files())
      for (IoTable* table : {&interval_, &total_}) table->rename_table(from, to, options_.by);
  }

  // Commands that go on are known by their text only as long as there are probes.
  void ending(Attachments& attachments) override {
    if (needs_queries()) (void)look(attachments);
    rename(attachments);
  }

  // After the probes are gone.
  void finish(const attach::Counters& counters) {
    join_.finish();
    if (!is_list_) {
      total_.merge(interval_);
      report_->table(
          {true, nanoseconds_of(CLOCK_REALTIME), nanoseconds_of(CLOCK_MONOTONIC) - begin_}, total_,
          options_.by, counters[DBT_COUNT_OPERATIONS_LOST], buffer_);
    }
    flush();
  }

  [[nodiscard]] bool needs_queries() const { return is_list_ || subjects_.needs_queries(); }
  [[nodiscard]] output::WriteStatus status() const { return status_; }
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

  // All processes of a server that forks have its name; their titles tell more.
  void settle_background(const model::IoOperation& operation) {
    if (operation.command_start_ns) return settle(operation, nullptr);
    const std::string& name = names_.of(operation.pid);
    if (name.empty()) return settle(operation, nullptr);
    model::IoOperation named = operation;
    named.thread = name;
    settle(named, nullptr);
  }

  void settle(const model::IoOperation& operation, const model::Query* query) {
    ++told_;
    if (!is_list_) {
      interval_.add(subjects_.of(operation, query), operation, query);
      return;
    }
    report_->operation(operation, query, buffer_);
    if (buffer_.size() >= kFlushBytes) flush();
  }

  void show_interval(const attach::Counters& counters) {
    const uint64_t now = nanoseconds_of(CLOCK_MONOTONIC);
    const uint64_t lost = counters[DBT_COUNT_OPERATIONS_LOST];
    report_->table(
        {false, nanoseconds_of(CLOCK_REALTIME), now - std::exchange(interval_begin_, now)},
        interval_, options_.by, lost - std::exchange(lost_before_, lost), buffer_);
    total_.merge(interval_);
    interval_.clear();
  }

  void flush() {
    std::string_view rest = buffer_;
    if (status_ == output::WriteStatus::Ok && !rest.empty()) status_ = writer_.write(rest);
    buffer_.clear();
  }

  const IoOptions& options_;
  const bool is_list_;
  ProcessNames names_;
  output::Writer& writer_;
  Pace pace_;
  IoSubjects subjects_;
  std::unique_ptr<IoReport> report_;
  QueryJoin join_;
  IoTable interval_, total_;
  uint64_t begin_ = nanoseconds_of(CLOCK_MONOTONIC);
  uint64_t interval_begin_ = begin_;
  uint64_t lost_before_ = 0;  // up to the interval's begin
  uint64_t filtered_ = 0;
  uint64_t told_ = 0;
  std::string buffer_;
  output::WriteStatus status_ = output::WriteStatus::Ok;
};

// What was seen, and everything that was lost.
std::string IoLog::summary(const attach::Counters& counters, uint64_t malformed) const {
  const uint64_t lost = counters[DBT_COUNT_OPERATIONS_LOST];
  std::string text = fmt::format("{} file operations seen: {} {}, {} filtered, {} lost",
                                 counters[DBT_COUNT_OPERATIONS] + lost, told_,
                                 is_list_ ? "shown" : "counted", filtered_, lost);
  if (join_.unknown()) text += fmt::format("; of {} the query is unknown", join_.unknown());
  text += "\n";
  const auto line = [&](uint64_t count, std::string_view what) {
    if (count) text += fmt::format("  {} {}\n", count, what);
  };
  line(lost, "operations found the buffer full; a larger --buffer helps");
  if (needs_queries()) {
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
  IoLog log(options, session.several(), ProcessNames(session.servers()), writer);
  Result<void> ran = session.run(log, writer);
  session.detach(log);
  const auto account = session.attachments().counters().map([&](const attach::Counters& counters) {
    log.finish(counters);
    return log.summary(counters, session.attachments().malformed());
  });
  if (ran && log.status() == output::WriteStatus::Failed) ran = fail(writer.error());
  return session.conclude(account, ran);
}

}  // namespace

bool IoFilter::accepts(const model::IoOperation& operation) const {
  return (operations.empty() || std::ranges::count(operations, operation.operation) != 0) &&
         is_table(tables, operation.file.content) && any_matches(files, operation.file.name);
}

int run_io(const IoOptions& options) {
  if (options.session.file_io == attach::FileHook::None)
    return complain({"--file-io none leaves nothing to show", ""}, kUsage);
  auto session = Session::prepare(session_options(options), all_commands);
  if (!session) return complain(session.error().error, session.error().exit_code);
  if (!options.session.explain) return trace(*session, options);
  fmt::print("{}", session->explanation());
  return kDone;
}

}  // namespace dbtrace::commands
