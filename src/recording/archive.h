// Archive: one recording, or the latest of many that take each other's place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "src/model/query.h"
#include "src/recording/store.h"
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

class Archive final : public Store {
 public:
  // What would be in the way of create(), which changes nothing.
  [[nodiscard]] static Result<void> can_create(const ArchiveOptions& options);
  // Errors: as Writer::create() has them. Times: now, since the Unix epoch.
  [[nodiscard]] static Result<std::unique_ptr<Archive>> create(const ArchiveOptions& options,
                                                               uint64_t now_ns);

  void add(const model::Query& query) override { writer_.add(query); }
  void add(const ServerNote& server) override;
  void add(const LossNote& loss) override { writer_.add(loss); }
  void set(const CounterNote& counter) override { writer_.set(counter); }
  void add(const Incident& incident) override { writer_.add(incident); }
  void add(const model::Spending& second) override { writer_.add(second); }
  void add(const model::IoOperation& operation) override { writer_.add(operation); }
  void rename_content(const std::string& from, const std::string& to) override {
    writer_.rename_content(from, to);
  }

  // Writer::commit(), and then on to the next file when this one is full.
  [[nodiscard]] Result<void> commit(uint64_t now_ns) override;
  [[nodiscard]] Result<void> finish(uint64_t now_ns) override { return writer_.finish(now_ns); }
  // The only file is.
  [[nodiscard]] bool is_full() const override { return options_.keep == 0 && writer_.is_full(); }
  [[nodiscard]] bool wants_commit() const override { return writer_.is_full(); }
  [[nodiscard]] uint64_t uncommitted() const override { return writer_.uncommitted(); }
  // Of all files.
  [[nodiscard]] uint64_t summed_up() const override {
    return past_summed_up_ + writer_.summed_up();
  }

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
