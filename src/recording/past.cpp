#include "src/recording/past.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/output/clock_text.h"
#include "src/output/counted.h"
#include "src/recording/reader.h"

namespace dbtrace::recording {
namespace {

// A file that others see grow, and that a full disk cuts off late.
constexpr uint64_t kCommitEvery = 20'000;  // queries
// Files of tables that were made, or became known, in the time that is held.
constexpr size_t kMostRenamed = 10'000;

// "2026-11-30T21-05-07.123Z": in the order of time, and a name on every file system.
std::string file_name(uint64_t at_ns) {
  constexpr uint64_t kMillisecond_ns = 1'000'000;
  output::ClockText clock(output::Zone::Utc, "%Y-%m-%dT%H-%M-%S");
  return fmt::format("{}.{:03}Z.dbt", clock.at(at_ns / output::kNanosecondsPerSecond),
                     at_ns % output::kNanosecondsPerSecond / kMillisecond_ns);
}

}  // namespace

Result<std::unique_ptr<Past>> Past::create(const PastOptions& options, uint64_t now_ns) {
  std::unique_ptr<Past> past(new Past(options));
  if (auto begun = past->begin_piece(now_ns); !begun) return tl::unexpected(begun.error());
  return past;
}

Past::~Past() { join(); }

void Past::join() {
  if (saver_.joinable()) saver_.join();
}

Result<void> Past::begin_piece(uint64_t now_ns) {
  // Unique in this process.
  std::string name = fmt::format("past-{}-{}", static_cast<const void*>(this), ++pieces_made_);
  WriterOptions writer = options_.writer;
  writer.max_rate = 0;
  writer.max_bytes = options_.max_bytes / kPieces;
  auto made = Writer::create_in_memory(name, writer, now_ns);
  if (!made) return tl::unexpected(made.error());
  piece_ = std::make_shared<Piece>(Piece{.name = std::move(name),
                                         .writer = std::move(*made),
                                         .begin_ns = now_ns,
                                         .counters = counters_});
  return {};
}

Result<void> Past::end_piece(uint64_t now_ns) {
  if (auto finished = piece_->writer.finish(now_ns); !finished) return finished;
  piece_->end_ns = now_ns;
  piece_->bytes = piece_->writer.bytes();
  bytes_ += piece_->bytes;
  pieces_.push_back(std::move(piece_));
  forget(now_ns);
  return begin_piece(now_ns);
}

void Past::forget(uint64_t now_ns) {
  uint64_t from_ns = now_ns - std::min(now_ns, held_ns());
  // A file may be late, while another one is written.
  if (!incidents_.empty()) from_ns = std::min(from_ns, wanted_from_ns());
  while (pieces_.size() > 1 && (bytes_ > options_.max_bytes || pieces_.front()->end_ns < from_ns)) {
    bytes_ -= pieces_.front()->bytes;
    pieces_.pop_front();
  }
  while (!losses_.empty() && losses_.front().at_ns < from_ns) losses_.pop_front();
}

void Past::add(const model::Query& query) { piece_->writer.add(query); }

void Past::add(const Incident& incident) {
  if (incidents_.empty()) save_at_ns_ = incident.at_ns + options_.after_ns;
  incidents_.push_back(incident);
}

void Past::rename_content(const std::string& from, const std::string& to) {
  if (renamed_.size() == kMostRenamed) renamed_.pop_front();
  renamed_.emplace_back(from, to);
}

bool Past::wants_commit() const { return piece_->writer.is_full(); }

Result<void> Past::commit(uint64_t now_ns) {
  bool saving = false;
  {
    const std::lock_guard lock(mutex_);
    saving = saving_;
  }
  const bool save_is_due = !incidents_.empty() && now_ns >= save_at_ns_ && !saving;
  const bool is_over = now_ns >= piece_->begin_ns + held_ns() / kPieces;
  if (is_over || save_is_due || piece_->writer.is_full())
    if (auto ended = end_piece(now_ns); !ended) return ended;
  if (save_is_due) begin_save(now_ns);
  return {};
}

Result<void> Past::finish(uint64_t now_ns) {
  join();
  if (!incidents_.empty()) {
    if (auto ended = end_piece(now_ns); !ended) return ended;
    begin_save(now_ns);
    join();
  }
  return saved_;
}

uint64_t Past::wanted_from_ns() const {
  const uint64_t happened_ns = incidents_.front().at_ns;
  return happened_ns - std::min(happened_ns, options_.length_ns);
}

Past::Save Past::what_is_held(uint64_t now_ns) {
  Save save;
  save.begin_ns = std::max(pieces_.front()->begin_ns, wanted_from_ns());
  save.end_ns = now_ns;
  save.path = fmt::format("{}/{}", options_.folder, file_name(incidents_.front().at_ns));
  save.pieces.assign(pieces_.begin(), pieces_.end());
  save.servers = servers_;
  save.losses.assign(losses_.begin(), losses_.end());
  save.renamed.assign(renamed_.begin(), renamed_.end());
  for (const auto& [name, value] : counters_) {
    const auto before = pieces_.front()->counters.find(name);
    save.counters[name] = value - (before == pieces_.front()->counters.end() ? 0 : before->second);
  }
  save.incidents = std::exchange(incidents_, {});
  return save;
}

void Past::begin_save(uint64_t now_ns) {
  join();
  {
    const std::lock_guard lock(mutex_);
    saving_ = true;
  }
  saver_ = std::thread([this, save = what_is_held(now_ns)] { tell(save, write(save)); });
}

Result<uint64_t> Past::copy(const Piece& piece, const Save& save, Writer& to) {
  auto reader = Reader::open_in_memory(piece.name);
  if (!reader) return tl::unexpected(reader.error());
  (void)reader->want_samples();
  uint64_t count = 0;
  while (true) {
    const auto query = reader->next();
    if (!query) return tl::unexpected(query.error());
    if (!*query) break;
    if ((*query)->start_ns + (*query)->duration_ns < save.begin_ns) continue;
    to.add(**query);
    if (++count % kCommitEvery == 0)
      if (auto committed = to.commit(save.end_ns); !committed)
        return tl::unexpected(committed.error());
  }
  if (auto copied = copy_rest(*reader, save, to); !copied) return tl::unexpected(copied.error());
  return count;
}

Result<void> Past::copy_rest(Reader& reader, const Save& save, Writer& to) {
  while (true) {
    const auto second = reader.next_second();
    if (!second) return tl::unexpected(second.error());
    if (!*second) break;
    // Of one that began before nobody knows what was spent after.
    if ((*second)->end_ns - (*second)->length_ns >= save.begin_ns) to.add(**second);
  }
  if (auto begun = reader.begin_operations(false); !begun) return begun;
  while (true) {
    const auto operation = reader.next_operation();
    if (!operation) return tl::unexpected(operation.error());
    if (!*operation) return {};
    if ((*operation)->start_ns + (*operation)->duration_ns >= save.begin_ns) to.add(**operation);
  }
}

Result<uint64_t> Past::write(const Save& save) const {
  WriterOptions options = options_.writer;
  options.max_rate = options.max_bytes = 0;
  auto writer = Writer::create(save.path, options, save.begin_ns);
  if (!writer) return tl::unexpected(writer.error());
  for (const ServerNote& server : save.servers) writer->add(server);
  for (const Incident& incident : save.incidents) writer->add(incident);
  uint64_t count = 0;
  for (const auto& piece : save.pieces) {
    const auto copied = copy(*piece, save, *writer);
    if (!copied) return copied;
    count += *copied;
  }
  for (const auto& [from, name] : save.renamed) writer->rename_content(from, name);
  for (const LossNote& loss : save.losses)
    if (loss.at_ns >= save.begin_ns) writer->add(loss);
  for (const auto& [name, value] : save.counters) writer->set({name, value});
  if (auto finished = writer->finish(save.end_ns); !finished)
    return tl::unexpected(finished.error());
  return count;
}

void Past::tell(const Save& save, const Result<uint64_t>& written) {
  const std::lock_guard lock(mutex_);
  saving_ = false;
  if (written) {
    news_.push_back(fmt::format("kept: {}: {} of {} s\n", save.path,
                                output::counted(*written, "query", "queries"),
                                (save.end_ns - save.begin_ns) / output::kNanosecondsPerSecond));
    return;
  }
  news_.push_back(fmt::format("not kept: {}\n", written.error().message));
  if (saved_) saved_ = tl::unexpected(written.error());
}

std::vector<std::string> Past::take_news() {
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, {});
}

}  // namespace dbtrace::recording
