#include "src/recording/writer.h"

#include <utility>

#include "src/output/cause_names.h"

namespace dbtrace::recording {
namespace {

// What is still to come when the file is as large as it may be: the end of a stretch, counters.
constexpr uint64_t kReserve = Writer::kLeastBytes / 4;
constexpr uint64_t kLookEvery = 256;

}  // namespace

Result<Writer> Writer::create(const std::string& path, const WriterOptions& options,
                              uint64_t now_ns) {
  auto database = Database::create(path);
  if (!database) return tl::unexpected(database.error());
  Statement cause = database->insert_into("cause", 2);
  for (const output::CauseName& name : output::kCauseNames)
    cause.put(static_cast<uint8_t>(name.cause)).put(name.name()).run();
  database->insert_into("recording", 6)
      .put(1)
      .put(options.program)
      .put(now_ns)
      .put(now_ns)
      .put(false)
      .put(options.literals)
      .run();
  Writer writer(std::move(*database), options, now_ns);
  if (auto committed = writer.commit(now_ns); !committed) return tl::unexpected(committed.error());
  return writer;
}

Writer::Writer(Database database, const WriterOptions& options, uint64_t begin_ns)
    : database_(std::move(database)),
      max_bytes_(options.max_bytes),
      queries_(database_, begin_ns, options.literals),
      sums_(database_),
      limit_(options.max_rate),
      server_(database_.insert_into("server", 9)),
      loss_(database_.insert_into("loss", 4)),
      counter_(database_.prepare("insert or replace into counter values (?, ?)")),
      end_(database_.prepare("update recording set end_ns = ?, finished = ?")),
      pages_(database_.prepare("pragma page_count")) {}

void Writer::add(const model::Query& query) {
  if (const auto over = limit_.advance(query.start_ns + query.duration_ns)) end_stretch(*over);
  const uint64_t weight = limit_.weight(query.duration_ns);
  if (limit_.is_limiting()) sums_.add(queries_.kind_of(query), query);
  if (weight) queries_.add(query, weight);
  if (!limit_.is_limiting()) stretch_begin_ = queries_.next_id();
  if (max_bytes_ && ++since_look_ % kLookEvery == 0) full_ = bytes() + kReserve >= max_bytes_;
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

void Writer::set(const CounterNote& counter) { counter_.put(counter.name).put(counter.value).run(); }

Result<void> Writer::commit(uint64_t now_ns) {
  auto committed = commit(now_ns, false);
  database_.execute("begin immediate");
  return committed;
}

Result<void> Writer::finish(uint64_t now_ns) {
  if (const auto over = limit_.finish()) end_stretch(*over);
  return commit(now_ns, true);
}

Result<void> Writer::commit(uint64_t now_ns, bool finished) {
  end_.put(now_ns).put(finished).run();
  database_.execute("commit");
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
