// Past: the last minutes of a run, in memory, of which a file is made when something happens.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "src/recording/store.h"

namespace dbtrace::recording {

class Reader;

struct PastOptions {
  std::string folder;      // for the files
  WriterOptions writer;    // of each file and piece, but for their bounds
  uint64_t length_ns = 0;  // that is held
  uint64_t after_ns = 0;   // the file is written so long after what happened, with what came then
  uint64_t max_bytes = 0;  // of memory, about: less time is held when that does not suffice
};

// Pieces are recordings without a file. The oldest goes when it is older than what is to be held,
// or when all are too large. A thread of its own makes a file of them: each incident is in exactly
// one, together with those that come before it is written.
class Past final : public Store {
 public:
  static constexpr size_t kPieces = 8;

  // Errors: there is no memory for a recording.
  [[nodiscard]] static Result<std::unique_ptr<Past>> create(const PastOptions& options,
                                                            uint64_t now_ns);
  ~Past() override;

  void add(const model::Query& query) override;
  void add(const ServerNote& server) override { servers_.push_back(server); }
  void add(const LossNote& loss) override { losses_.push_back(loss); }
  void set(const CounterNote& counter) override { counters_[counter.name] = counter.value; }
  // A file will be written.
  void add(const Incident& incident) override;
  void add(const model::Spending& second) override { piece_->writer.add(second); }
  void add(const model::IoOperation& operation) override { piece_->writer.add(operation); }
  // In all files from now on.
  void rename_content(const std::string& from, const std::string& to) override;

  [[nodiscard]] Result<void> commit(uint64_t now_ns) override;
  // Writes at once what was to be written later.
  [[nodiscard]] Result<void> finish(uint64_t now_ns) override;
  [[nodiscard]] bool is_full() const override { return false; }
  [[nodiscard]] bool wants_commit() const override;
  [[nodiscard]] uint64_t uncommitted() const override { return 0; }
  [[nodiscard]] uint64_t summed_up() const override { return 0; }
  // Of each file, or why there is none.
  [[nodiscard]] std::vector<std::string> take_news() override;

 private:
  using Counters = std::map<std::string_view, uint64_t>;
  struct Piece {
    std::string name;  // of the database in memory, which lives as long as its writer
    Writer writer;
    uint64_t begin_ns = 0, end_ns = 0;
    Counters counters;   // when it began
    uint64_t bytes = 0;  // when it ended
  };
  // What a file is made of, and nobody changes any more.
  struct Save {
    std::string path;
    std::vector<std::shared_ptr<const Piece>> pieces;
    uint64_t begin_ns = 0, end_ns = 0;
    std::vector<ServerNote> servers;
    std::vector<LossNote> losses;
    std::vector<std::pair<std::string, std::string>> renamed;
    Counters counters;
    std::vector<Incident> incidents;
  };

  explicit Past(const PastOptions& options) : options_(options) {}
  // Of the file that incidents wait for.
  [[nodiscard]] uint64_t wanted_from_ns() const;
  [[nodiscard]] Result<void> begin_piece(uint64_t now_ns);
  [[nodiscard]] Result<void> end_piece(uint64_t now_ns);
  void forget(uint64_t now_ns);
  // What has to be there when a file is made.
  [[nodiscard]] uint64_t held_ns() const { return options_.length_ns + options_.after_ns; }
  void begin_save(uint64_t now_ns);
  [[nodiscard]] Save what_is_held(uint64_t now_ns);
  // How many queries the file has.
  [[nodiscard]] Result<uint64_t> write(const Save& save) const;
  // What a piece has of the file's time; how many queries that is.
  [[nodiscard]] static Result<uint64_t> copy(const Piece& piece, const Save& save, Writer& to);
  [[nodiscard]] static Result<void> copy_rest(Reader& reader, const Save& save, Writer& to);
  void tell(const Save& save, const Result<uint64_t>& written);
  void join();

  PastOptions options_;
  std::shared_ptr<Piece> piece_;  // that is being filled
  std::deque<std::shared_ptr<const Piece>> pieces_;
  uint64_t bytes_ = 0;  // of these
  uint64_t pieces_made_ = 0;
  std::vector<ServerNote> servers_;
  std::deque<LossNote> losses_;
  std::deque<std::pair<std::string, std::string>> renamed_;
  Counters counters_;
  std::vector<Incident> incidents_;  // that wait for their file
  uint64_t save_at_ns_ = 0;          // when there are some

  std::thread saver_;
  std::mutex mutex_;  // of the next three
  bool saving_ = false;
  std::vector<std::string> news_;
  Result<void> saved_;  // what went wrong first
};

}  // namespace dbtrace::recording
