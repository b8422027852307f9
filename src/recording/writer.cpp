#include "src/recording/writer.h"

#include <chrono>
#include <utility>

#include "src/output/cause_names.h"

namespace dbtrace::recording {
namespace {

// What is still to come when the file is as large as it may be: the end of a stretch, counters.
constexpr uint64_t kReserve = Writer::kLeastBytes / 4;
// How large the file has become is looked at when it may have grown by so much. A row of a query
// without its text takes less, and what a kind came to in a stretch takes about that.
constexpr uint64_t kLookEvery = kReserve / 4;
constexpr uint64_t kRowBytes = 256, kSmallRowBytes = 32, kOperationBytes = 64, kSumBytes = 2048;

// Who reads the file keeps it from being written. What comes meanwhile is in memory, for so long.
constexpr uint64_t kPatience_ns = 60'000'000'000;
constexpr std::chrono::milliseconds kUsualPatience{1000}, kLastPatience{20'000};

// Of rows, if no stack is like another, about.
uint64_t bytes_of(const model::SampledStacks& stacks) {
  constexpr uint64_t kSampleBytes = 32, kCallBytes = 12;
  uint64_t bytes = 0;
  for (const model::Sample& sample : stacks.samples)
    bytes += kSampleBytes + kCallBytes * sample.frames.size();
  return bytes;
}

Database::FirstRows first_rows(const WriterOptions& options, uint64_t now_ns) {
  return [&options, now_ns](Database& database) {
    Statement cause = database.insert_into("cause", 2);
    for (const output::CauseName& name : output::kCauseNames)
      cause.put(static_cast<uint8_t>(name.cause)).put(name.name()).run();
    database.insert_into("recording", 6)
        .put(1)
        .put(options.program)
        .put(now_ns)
        .put(now_ns)
        .put(false)
        .put(options.literals)
        .run();
  };
}

}  // namespace

Result<Writer> Writer::create(const std::string& path, const WriterOptions& options,
                              uint64_t now_ns) {
  return begin(Database::create(path, first_rows(options, now_ns)), options, now_ns);
}

Result<Writer> Writer::create_in_memory(const std::string& name, const WriterOptions& options,
                                        uint64_t now_ns) {
  return begin(Database::create_in_memory(name, first_rows(options, now_ns)), options, now_ns);
}

Result<Writer> Writer::begin(Result<Database> database, const WriterOptions& options,
                             uint64_t now_ns) {
  if (!database) return tl::unexpected(database.error());
  database->execute("begin immediate");
  Writer writer(std::move(*database), options, now_ns);
  if (auto state = writer.database_.state(); !state) return tl::unexpected(state.error());
  return writer;
}

Writer::Writer(Database database, const WriterOptions& options, uint64_t begin_ns)
    : database_(std::move(database)),
      max_bytes_(options.max_bytes),
      queries_(database_, begin_ns, options.literals),
      sums_(database_),
      seconds_(database_),
      operations_(database_, begin_ns),
      limit_(options.max_rate),
      rename_(database_.prepare("update file set content = ? where content = ?")),
      server_(database_.insert_into("server", 9)),
      loss_(database_.insert_into("loss", 4)),
      counter_(database_.prepare("insert or replace into counter values (?, ?)")),
      incident_(database_.insert_into("incident", 4)),
      end_(database_.prepare("update recording set end_ns = ?, finished = ?")),
      pages_(database_.prepare("pragma page_count")),
      committed_ns_(begin_ns) {
  database_.wait_for_readers(kUsualPatience);
}

void Writer::add(const model::Query& query) {
  ++uncommitted_;
  if (const auto over = limit_.advance(query.start_ns + query.duration_ns)) end_stretch(*over);
  const uint64_t weight = limit_.weight(query.duration_ns);
  if (limit_.is_limiting()) sums_.add(queries_.kind_of(query), query);
  if (weight)
    queries_.add(query, weight);
  else
    ++summed_up_;
  if (!limit_.is_limiting()) stretch_begin_ = queries_.next_id();
  grow(kRowBytes + query.text.size() + (query.samples ? bytes_of(*query.samples) : 0));
}

void Writer::add(const model::Spending& second) {
  grow(kSmallRowBytes * seconds_.add(second, queries_));
}

void Writer::add(const model::IoOperation& operation) {
  operations_.add(operation, queries_);
  grow(kOperationBytes);
}

void Writer::rename_content(const std::string& from, const std::string& to) {
  rename_.put(to).put(from).run();
}

void Writer::grow(uint64_t bytes) {
  since_look_ += bytes;
  if (max_bytes_ && since_look_ >= kLookEvery) look();
}

void Writer::look() {
  since_look_ = 0;
  full_ = bytes() + sums_.kinds() * kSumBytes + kReserve >= max_bytes_;
}

void Writer::end_stretch(const Stretch& stretch) {
  sums_.end_stretch(stretch, stretch_begin_);
  stretch_begin_ = queries_.next_id();
}

void Writer::add(const ServerNote& server) {
  server_.put_null()
      .put(server.seen_ns)
      .put(server.pid)
      .put(server.flavor)
      .put(server.title)
      .put(server.version)
      .put(server.executable)
      .put(server.data)
      .put(server.plan)
      .run();
}

void Writer::add(const LossNote& loss) {
  loss_.put_null().put(loss.at_ns).put(loss.what).put(loss.count).run();
}

void Writer::set(const CounterNote& counter) {
  counter_.put(counter.name).put(counter.value).run();
}

void Writer::add(const Incident& incident) {
  incident_.put_null().put(incident.at_ns).put(incident.condition).put(incident.value).run();
}

Result<void> Writer::commit(uint64_t now_ns) {
  end_.put(now_ns).put(false).run();
  const bool may_wait = now_ns < committed_ns_ + kPatience_ns;
  if (may_wait && !database_.try_commit()) return {};
  if (!may_wait) database_.execute("commit");
  if (auto state = database_.state(); !state) return state;
  committed_ns_ = now_ns;
  uncommitted_ = 0;
  database_.execute("begin immediate");
  return database_.state();
}

Result<void> Writer::finish(uint64_t now_ns) {
  if (const auto over = limit_.finish()) end_stretch(*over);
  end_.put(now_ns).put(true).run();
  database_.wait_for_readers(kLastPatience);
  database_.execute("commit");
  if (database_.state()) uncommitted_ = 0;
  database_.release();
  return database_.state();
}

uint64_t Writer::bytes() {
  constexpr uint64_t kPageBytes = 4096;
  uint64_t pages = 0;
  if (pages_.next()) pages_.get(pages);
  pages_.reset();
  return pages * kPageBytes;
}

}  // namespace dbtrace::recording
