// Queries on their way into a recording. A thread of its own writes them, so that a slow disk holds
// up nobody who takes events out of the kernel's buffer.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "src/model/io_operation.h"
#include "src/model/query.h"
#include "src/model/wait_sums.h"
#include "src/recording/store.h"
#include "symbols/result.h"

namespace dbtrace::commands {

// For use by one thread. Memory is bounded: what finds no room is counted.
class Recorder {
 public:
  static constexpr size_t kBatch = 2048;      // queries, and so many operations
  static constexpr size_t kMostBatches = 24;  // that wait to be written

  explicit Recorder(std::unique_ptr<recording::Store> store) : store_(std::move(store)) {}
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder() { stop(); }

  // False: there was no room for it.
  bool add(const model::Query& query);
  void add(const recording::ServerNote& server) { batch_->servers.push_back(server); }
  void add(const recording::LossNote& loss) { batch_->losses.push_back(loss); }
  void set(const recording::CounterNote& counter) { batch_->counters.push_back(counter); }
  void add(const recording::Incident& incident) { batch_->incidents.push_back(incident); }
  void add(model::Spending second) { batch_->seconds.push_back(std::move(second)); }
  // False: there was no room for it.
  bool add(const model::IoOperation& operation);
  void rename_content(std::string from, std::string to) {
    batch_->renamed.emplace_back(std::move(from), std::move(to));
  }
  // What was added is written now. Several times a second. The thread begins with the first call:
  // it may do what the caller may do then.
  void hand_over();
  // Nothing is written any more: the file is full, or something went wrong.
  [[nodiscard]] bool has_ended() const { return ended_; }
  // Lines for the user.
  [[nodiscard]] std::vector<std::string> take_news() { return store_->take_news(); }

  // Writes what is left. Once, at the end.
  [[nodiscard]] Result<void> finish();
  // Of those that were added: are not in the file, as it was full or could not be written. After
  // finish().
  [[nodiscard]] uint64_t surplus() const { return surplus_; }
  // Of the operations that were added: came when the file was full. After finish().
  [[nodiscard]] uint64_t surplus_operations() const { return surplus_operations_; }
  // Of those that were added: are in sums only. After finish().
  [[nodiscard]] uint64_t summed_up() const { return store_->summed_up(); }

 private:
  struct Batch {
    std::vector<model::Query> queries;  // the first `count` of them; their memory is used again
    size_t count = 0;
    std::vector<recording::ServerNote> servers;
    std::vector<recording::LossNote> losses;
    std::vector<recording::CounterNote> counters;
    std::vector<recording::Incident> incidents;
    std::vector<model::Spending> seconds;
    std::vector<model::IoOperation> operations;
    std::vector<std::pair<std::string, std::string>> renamed;

    [[nodiscard]] bool is_empty() const {
      return !count && servers.empty() && losses.empty() && counters.empty() && incidents.empty() &&
             seconds.empty() && operations.empty() && renamed.empty();
    }
    void clear();
  };
  using Owned = std::unique_ptr<Batch>;

  void stop();
  void work();
  void write(const Batch& batch);
  void check(const Result<void>& result);

  Owned batch_ = std::make_unique<Batch>();  // that is being filled

  std::mutex mutex_;  // of the next four
  std::condition_variable changed_;
  std::deque<Owned> waiting_;
  std::vector<Owned> free_;
  bool stopping_ = false;

  std::unique_ptr<recording::Store> store_;  // the thread's, while it runs, but for its news
  Result<void> written_;                     // the thread's, too, and the next two
  uint64_t surplus_ = 0;
  uint64_t surplus_operations_ = 0;

  std::atomic<bool> ended_ = false;
  std::thread thread_;
};

}  // namespace dbtrace::commands
