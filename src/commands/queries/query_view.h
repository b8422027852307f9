// Queries as they are shown, with the account of them: the same for those that come live and
// those of a recording.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/commands/queries/queries.h"
#include "src/commands/tracing/summary.h"
#include "src/model/filter.h"
#include "src/output/sink.h"
#include "src/output/writer.h"

namespace dbtrace::commands {

// Not thread-safe.
class QueryView {
 public:
  // `several`: the lines tell which server they are about.
  QueryView(const QueriesOptions& options, const model::Filter& filter, bool several,
            output::Writer& writer);

  // In the bytes of this sink. `shown_as`: Tally has it; static storage.
  QueryView(const QueriesOptions& options, const model::Filter& filter,
            std::unique_ptr<output::Sink> sink, output::Writer& writer, std::string_view shown_as);

  // The terminal has another size.
  void resized();
  // Whether show() is to get this one, which has ended; if not, it is counted as what it is.
  [[nodiscard]] bool wants(const model::Query& query);
  void show(const model::Query& query);
  // Whether report() or a table is to get this one, which runs.
  [[nodiscard]] bool wants_running(const model::Query& query) const {
    return !ended() && filter_.accepts(query);
  }
  void report(const model::Query& running);
  // There is a gap. Also while flush() waits for the reader.
  void lost(const output::Lost& lost) { gaps_.push_back(lost); }
  // All that runs at this moment; one look of those that --limit limits.
  void show_running(RunningTable& table);

  // There are no more queries.
  void finish();
  // Shown is what was written to its end.
  void flush();
  // It has enough, or nobody reads it.
  [[nodiscard]] bool ended() const;
  [[nodiscard]] output::WriteStatus status() const { return status_; }
  [[nodiscard]] const Tally& tally() const { return tally_; }

 private:
  const QueriesOptions& options_;
  const model::Filter& filter_;
  const bool several_;
  output::Writer& writer_;
  std::unique_ptr<output::Sink> sink_;
  std::string buffer_;
  std::vector<size_t> ends_;        // of the queries in `buffer_`
  std::vector<output::Lost> gaps_;  // that are not in it yet
  output::WriteStatus status_ = output::WriteStatus::Ok;
  Tally tally_;
  uint64_t looks_ = 0;  // only when what runs is shown
};

}  // namespace dbtrace::commands
