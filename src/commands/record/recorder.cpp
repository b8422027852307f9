#include "src/commands/record/recorder.h"

#include <chrono>
#include <utility>

#include "src/commands/pace.h"
#include "src/commands/wall_clock.h"

namespace dbtrace::commands {
namespace {

// With what waits before it comes here, less than a second is lost when the process is killed.
constexpr std::chrono::milliseconds kCommitEvery{500};
constexpr std::chrono::milliseconds kLookEvery{100};

}  // namespace

void Recorder::Batch::clear() {
  count = 0;
  servers.clear();
  losses.clear();
  counters.clear();
  incidents.clear();
  seconds.clear();
  operations.clear();
  renamed.clear();
}

bool Recorder::add(const model::Query& query) {
  if (batch_->count == kBatch) hand_over();
  if (batch_->count == kBatch) return false;
  if (batch_->count == batch_->queries.size())
    batch_->queries.push_back(query);
  else
    batch_->queries[batch_->count] = query;
  ++batch_->count;
  return true;
}

bool Recorder::add(const model::IoOperation& operation) {
  if (batch_->operations.size() == kBatch) hand_over();
  if (batch_->operations.size() == kBatch) return false;
  batch_->operations.push_back(operation);
  return true;
}

void Recorder::hand_over() {
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  if (batch_->is_empty()) return;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= kMostBatches) return;
    waiting_.push_back(std::move(batch_));
    if (!free_.empty()) {
      batch_ = std::move(free_.back());
      free_.pop_back();
    }
  }
  changed_.notify_one();
  if (!batch_) batch_ = std::make_unique<Batch>();
}

void Recorder::work() {
  Pace pace = Pace::after_each(kCommitEvery);
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait_for(lock, kLookEvery, [this] { return stopping_ || !waiting_.empty(); });
    if (stopping_ && waiting_.empty()) return;
    Owned batch;
    if (!waiting_.empty()) {
      batch = std::move(waiting_.front());
      waiting_.pop_front();
    }
    lock.unlock();
    if (batch) write(*batch);
    const bool is_due = pace.due();
    if (!ended_ && (is_due || store_->wants_commit()))
      check(store_->commit(nanoseconds_of(CLOCK_REALTIME)));
    lock.lock();
    if (!batch) continue;
    batch->clear();
    free_.push_back(std::move(batch));
  }
}

void Recorder::write(const Batch& batch) {
  for (const recording::ServerNote& server : batch.servers) store_->add(server);
  for (size_t i = 0; i < batch.count; ++i) {
    if (ended_) {
      surplus_ += batch.count - i;
      break;
    }
    store_->add(batch.queries[i]);
    if (store_->wants_commit()) check(store_->commit(nanoseconds_of(CLOCK_REALTIME)));
  }
  for (const model::IoOperation& operation : batch.operations) {
    if (ended_) {
      ++surplus_operations_;
      continue;
    }
    store_->add(operation);
    if (store_->wants_commit()) check(store_->commit(nanoseconds_of(CLOCK_REALTIME)));
  }
  for (const auto& [from, to] : batch.renamed) store_->rename_content(from, to);
  for (const recording::LossNote& loss : batch.losses) store_->add(loss);
  for (const recording::CounterNote& counter : batch.counters) store_->set(counter);
  for (const recording::Incident& incident : batch.incidents) store_->add(incident);
  for (const model::Spending& second : batch.seconds) store_->add(second);
}

void Recorder::check(const Result<void>& result) {
  if (!result) {
    surplus_ += store_->uncommitted();
    written_ = result;
  }
  if (!result || store_->is_full()) ended_ = true;
}

void Recorder::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

Result<void> Recorder::finish() {
  stop();
  write(*batch_);
  batch_->clear();
  if (written_) check(store_->finish(nanoseconds_of(CLOCK_REALTIME)));
  return written_;
}

}  // namespace dbtrace::commands
