// Archive: one recording, or the latest of many that take each other's place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/model/query.h"
#include "src/recording/writer.h"
#include "symbols/result.h"

namespace dbtrace::recording {

struct ArchiveOptions {
  std::string path;
  WriterOptions writer;  // max_bytes is each file's
  // Files to keep: PATH, and what it was before: PATH.1, PATH.2, …; 0: a file that is full is the
  // end.
  size_t keep = 0;
};

// Not for use by two threads at once.
class Archive {
 public:
  // Errors: as Writer::create() has them. Times: now, since the Unix epoch.
  [[nodiscard]] static Result<Archive> create(const ArchiveOptions& options, uint64_t now_ns);

  void add(const model::Query& query);
  // In all files from now on.
  void add(const ServerNote& server);
  void add(const LossNote& loss);
  void set(const CounterNote& counter);

  // Writer::commit(), and then on to the next file when this one is full.
  [[nodiscard]] Result<void> commit(uint64_t now_ns);
  [[nodiscard]] Result<void> finish(uint64_t now_ns) { return writer_.finish(now_ns); }
  // Nothing more can be added: the only file is full.
  [[nodiscard]] bool is_full() const { return options_.keep == 0 && writer_.is_full(); }
  // commit() is due, however short a time has gone by.
  [[nodiscard]] bool wants_commit() const { return writer_.is_full(); }
  [[nodiscard]] uint64_t uncommitted() const { return writer_.uncommitted(); }
  // Writer::summed_up(), of all files.
  [[nodiscard]] uint64_t summed_up() const { return past_summed_up_ + writer_.summed_up(); }

 private:
  Archive(ArchiveOptions options, Writer writer)
      : options_(std::move(options)), writer_(std::move(writer)) {}
  [[nodiscard]] Result<void> rotate(uint64_t now_ns);

  ArchiveOptions options_;
  Writer writer_;
  std::vector<ServerNote> servers_;
  uint64_t past_summed_up_ = 0;
};

}  // namespace dbtrace::recording
