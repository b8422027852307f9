#include "src/commands/record/record.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "src/commands/messages.h"
#include "src/commands/pace.h"
#include "src/commands/record/notes.h"
#include "src/commands/record/operation_record.h"
#include "src/commands/record/recorder.h"
#include "src/commands/tracing/attachments.h"
#include "src/commands/tracing/query_stacks.h"
#include "src/commands/tracing/spending_watch.h"
#include "src/commands/tracing/stack_options.h"
#include "src/commands/tracing/summary.h"
#include "src/commands/wall_clock.h"
#include "src/output/counted.h"
#include "src/output/writer.h"
#include "src/recording/archive.h"
#include "src/recording/past.h"
#include "src/stream/decoder.h"

namespace dbtrace::commands {
namespace {

constexpr std::chrono::seconds kNoteEvery{1};

// From events to the recorder: the consumer of the stream.
class QueryRecord final : public Consumer {
 public:
  QueryRecord(const RecordOptions& options, const model::Filter& filter, Session& session,
              Recorder& recorder)
      : filter_(filter),
        session_(session),
        recorder_(recorder),
        notes_(recorder),
        stacks_(options.session.tracer.stacks, session.servers(), QueryStacks::Keep::All) {
    if (!options.no_budget) spending_.emplace();
    if (options.operations)
      operations_.emplace(session.servers(), options.flight.wanted() ? 0 : options.max_rate,
                          recorder);
    if (!options.flight.wanted()) return;
    flight_.emplace(options.flight, filter);
    tally_.shown_as = "watched";
  }

  void take_stack(std::span<const std::byte> event) override { stacks_.take(event); }

  void take(stream::Decoder& decoder, std::span<const std::byte> event) override {
    const model::Query* query = decoder.feed(event);
    if (operations_)
      if (const model::IoOperation* operation = decoder.operation()) operations_->take(*operation);
    if (!query || query->running) return;
    const bool is_wanted = filter_.accepts(*query);
    if (flight_ && is_wanted) flight_->add(*query);
    if (recorder_.has_ended())
      ++tally_.surplus;
    else if (!is_wanted)
      ++tally_.filtered;
    else if (recorder_.add(stacks_.with_stacks(*query, decoder)))
      ++tally_.shown;
    else
      ++tally_.dropped;
  }

  Result<bool> tick(Attachments& attachments) override {
    if (auto looked = stacks_.tick(attachments); !looked) return tl::unexpected(looked.error());
    if (pace_.due()) {
      rename(attachments);
      if (auto noted = note(attachments); !noted) return tl::unexpected(noted.error());
    }
    if (flight_)
      if (auto watched = watch(attachments); !watched) return tl::unexpected(watched.error());
    recorder_.hand_over();
    return recorder_.has_ended();
  }

  // Names of files may become known late.
  void ending(Attachments& attachments) override { rename(attachments); }

  // When all probes are gone.
  [[nodiscard]] Result<void> finish(const Attachments& attachments) {
    if (auto noted = note(attachments); !noted) return noted;
    auto finished = recorder_.finish();
    say_news();
    return finished;
  }
  // After finish().
  [[nodiscard]] Result<std::string> account(const Attachments& attachments) const {
    Tally tally = tally_;
    tally.shown -= recorder_.surplus();
    tally.surplus += recorder_.surplus();
    return completed(tally, attachments).map([this](const Tally& all) {
      std::string text = summary(all);
      if (const uint64_t count = recorder_.summed_up())
        text += fmt::format("  of {} only what all of their kind came to: more than --max-rate\n",
                            output::counted(count, "query", "queries"));
      if (operations_) text += operations_->account(all.kernel);
      return text;
    });
  }

 private:
  void rename(Attachments& attachments) {
    for (auto& [from, to] : attachments.take_renamed_files())
      recorder_.rename_content(std::move(from), std::move(to));
  }

  Result<void> note(const Attachments& attachments) {
    const auto tally = completed(tally_, attachments);
    if (!tally) return tl::unexpected(tally.error());
    notes_.note(session_, *tally);
    if (operations_) notes_.note(tally->kernel, operations_->tally());
    // What is given up stands still.
    if (!spending_ || attachments.has_shed(attach::Feature::Time)) return {};
    return spending_->since_last(attachments).map([this](model::Spending second) {
      recorder_.add(std::move(second));
    });
  }

  Result<void> watch(Attachments& attachments) {
    std::string lines;
    const auto incidents = flight_->tick(attachments, lines);
    if (!incidents) return tl::unexpected(incidents.error());
    for (const recording::Incident& incident : *incidents) recorder_.add(incident);
    if (!lines.empty()) session_.say(lines);
    say_news();
    return {};
  }
  void say_news() {
    for (const std::string& line : recorder_.take_news()) session_.say(line);
  }

  const model::Filter& filter_;
  Session& session_;
  Recorder& recorder_;
  RunNotes notes_;
  Tally tally_{.shown_as = "recorded"};
  Pace pace_ = Pace::from_now(kNoteEvery);
  QueryStacks stacks_;
  std::optional<SpendingWatch> spending_;
  std::optional<OperationRecord> operations_;
  std::optional<FlightWatch> flight_;
};

SessionOptions session_options(const RecordOptions& options) {
  SessionOptions session = options.session;
  session.tracer.budget = !options.no_budget;
  session.plan.waits = session.tracer.budget;
  session.tracer.waits = session.tracer.budget;
  session.tracer.statements = session.plan.statements;
  session.tracer.operations = session.tracer.all_commands = options.operations;
  session.tracer.files_of_all_threads = options.operations;
  if (session.tracer.stacks)
    watch_stacks(options.choice.filter.slower_than_ns.value_or(0), session.tracer);
  choose_in_kernel(options.choice, session.tracer);
  session.says_losses = true;
  session.tracer.running = options.flight.wanted();
  session.new_files = options.flight.wanted();
  session.keep_plans = true;
  session.database = true;
  return session;
}

using OwnedStore = std::unique_ptr<recording::Store>;

recording::ArchiveOptions archive_options(const RecordOptions& options) {
  return {.path = options.file,
          .writer = {.literals = options.literals,
                     .max_rate = options.max_rate,
                     .max_bytes = options.rotate_bytes ? options.rotate_bytes : options.max_bytes,
                     .program = "dbtrace " DBTRACE_VERSION},
          .keep = options.rotate_bytes ? options.keep : 0};
}

Result<OwnedStore> make_store(const RecordOptions& options) {
  const uint64_t now_ns = nanoseconds_of(CLOCK_REALTIME);
  const recording::ArchiveOptions archive = archive_options(options);
  const auto owned = [](auto made) { return OwnedStore(std::move(made)); };
  if (options.flight.wanted())
    return recording::Past::create({.folder = options.file,
                                    .writer = archive.writer,
                                    .length_ns = options.flight.keep_last_ns,
                                    .after_ns = options.flight.keep_after_ns,
                                    .max_bytes = options.flight.max_memory},
                                   now_ns)
        .map(owned);
  return recording::Archive::create(archive, now_ns).map(owned);
}

// Files come later, when it matters: what keeps them from being made is said now.
Result<void> check_folder(const std::string& folder) {
  // "/." is there in folders only.
  if (::access((folder + "/.").c_str(), W_OK | X_OK) == 0) return {};
  return fail(fmt::format("cannot write into {}: {}", folder, std::strerror(errno)),
              "with --keep-last, -o names a folder");
}

int record(Session& session, const RecordOptions& options, const model::Filter& filter) {
  // With the probes there, so that it begins when there is something to record, and an older file
  // goes only then.
  if (auto attached = session.attach(); !attached)
    return complain(attached.error().error, attached.error().exit_code);
  auto store = make_store(options);
  if (!store) return complain(store.error(), kFailed);
  Recorder recorder(std::move(*store));
  QueryRecord log(options, filter, session, recorder);
  output::Writer nowhere = output::Writer::standard_error();
  Result<void> ran = session.run(log, nowhere);
  session.detach(log);
  auto finished = log.finish(session.attachments());
  if (ran) ran = std::move(finished);
  return session.conclude(log.account(session.attachments()), ran);
}

}  // namespace

int run_record(const RecordOptions& options) {
  if (options.operations && options.session.file_io == attach::FileHook::None)
    return complain({"--file-io none leaves no operations to record", ""}, kUsage);
  if (options.file.empty() && !options.session.explain)
    return complain({"where to record to?", "-o FILE says it"}, kUsage);
  if (options.flight.wanted() && !options.file.empty())
    if (auto usable = check_folder(options.file); !usable) return complain(usable.error(), kUsage);
  if (!options.flight.wanted() && !options.session.explain)
    if (auto can = recording::Archive::can_create(archive_options(options)); !can)
      return complain(can.error(), kFailed);
  auto filter = make_filter(options.choice, options.session.plan.statements);
  if (!filter) return complain(filter.error(), kUsage);
  auto session = Session::prepare(session_options(options), [&](const attach::Plan& plan) {
    return commands_to_send(plan, options.choice, *filter);
  });
  if (!session) return complain(session.error().error, session.error().exit_code);
  if (!options.session.explain) return record(*session, options, *filter);
  fmt::print("{}", session->explanation());
  return kDone;
}

}  // namespace dbtrace::commands
