// Writer: a recording that is being made. docs/recordings.md describes the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/model/io_operation.h"
#include "src/model/query.h"
#include "src/model/wait_sums.h"
#include "src/recording/database.h"
#include "src/recording/query_writer.h"
#include "src/recording/rate_limit.h"
#include "src/recording/second_rows.h"
#include "src/recording/single_io_rows.h"
#include "src/recording/statement.h"
#include "src/recording/sum_rows.h"
#include "symbols/result.h"

namespace dbtrace::recording {

// A server that is recorded.
struct ServerNote {
  uint64_t seen_ns = 0;         // since the Unix epoch
  std::optional<uint32_t> pid;  // none: every process of the file
  std::string flavor;
  std::string title;
  std::optional<std::string> version;
  std::string executable;
  std::optional<std::string> data;  // "--datadir=…", as its command line has it
  std::optional<std::string> plan;  // what is probed, in words
};

// So many of something are not in the recording.
struct LossNote {
  uint64_t at_ns = 0;
  std::string_view what;
  uint64_t count = 0;
};

// Something that a recording was made for.
struct Incident {
  uint64_t at_ns = 0;
  std::string condition;  // as the user put it
  std::string value;      // that it found
};

// What is known of the run so far, by name: counts, and times in nanoseconds.
struct CounterNote {
  std::string_view name;
  uint64_t value = 0;
};

struct WriterOptions {
  bool literals = false;   // texts as they are, but for passwords; else fingerprints
  uint64_t max_rate = 0;   // queries a second to keep whole (RateLimit); 0: all
  uint64_t max_bytes = 0;  // of the file; 0: no limit
  std::string program;     // that makes it
};

// Not for use by two threads at once. Whatever ends the process, the file is a recording of all
// that was added up to the last commit().
class Writer {
 public:
  // The least that `max_bytes` can be.
  static constexpr uint64_t kLeastBytes = 1 << 20;

  // Replaces what is at `path`. Times: now, since the Unix epoch.
  [[nodiscard]] static Result<Writer> create(const std::string& path, const WriterOptions& options,
                                             uint64_t now_ns);

  // The same in memory (Database::create_in_memory).
  [[nodiscard]] static Result<Writer> create_in_memory(const std::string& name,
                                                       const WriterOptions& options,
                                                       uint64_t now_ns);

  void add(const model::Query& query);
  void add(const ServerNote& server);
  void add(const LossNote& loss);
  void set(const CounterNote& counter);
  void add(const Incident& incident);
  // Of the next second, or a part of one.
  void add(const model::Spending& second);
  void add(const model::IoOperation& operation);
  // Where the file has what a server keeps in a file: it was known by another name.
  void rename_content(const std::string& from, const std::string& to);

  // While somebody reads the file, it waits for a later one, for up to a minute. Errors: the disk
  // is full, …; the file is as the commit before has left it, and nothing can be added any more.
  [[nodiscard]] Result<void> commit(uint64_t now_ns);
  // The last commit.
  [[nodiscard]] Result<void> finish(uint64_t now_ns);
  // Whether `max_bytes` are reached, nearly.
  [[nodiscard]] bool is_full() const { return full_; }
  // Of the file.
  [[nodiscard]] uint64_t bytes();
  // Queries that were added since the last commit that did not wait.
  [[nodiscard]] uint64_t uncommitted() const { return uncommitted_; }
  // Queries that are in sums only (RateLimit).
  [[nodiscard]] uint64_t summed_up() const { return summed_up_; }

 private:
  Writer(Database database, const WriterOptions& options, uint64_t begin_ns);
  [[nodiscard]] static Result<Writer> begin(Result<Database> database, const WriterOptions& options,
                                            uint64_t now_ns);
  void end_stretch(const Stretch& stretch);
  void grow(uint64_t bytes);
  void look();

  Database database_;
  uint64_t max_bytes_;
  QueryWriter queries_;
  SumWriter sums_;
  SecondWriter seconds_;
  SingleIoWriter operations_;
  RateLimit limit_;
  int64_t stretch_begin_ = 1;  // the first query of the present stretch, if that limits
  uint64_t since_look_ = 0;    // bytes, about, since it was looked how large the file is
  bool full_ = false;
  uint64_t summed_up_ = 0;
  uint64_t uncommitted_ = 0;
  Statement rename_, server_, loss_, counter_, incident_, end_, pages_;
  uint64_t committed_ns_;
};

}  // namespace dbtrace::recording
