// Queries with their stacks as they are shown, with the account of them: the same for those that
// come live and those of a recording.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/commands/stacks/profiles.h"
#include "src/commands/stacks/stacks.h"
#include "src/commands/tracing/summary.h"
#include "src/model/filter.h"
#include "src/output/stacks/stack_sink.h"
#include "src/output/writer.h"
#include "src/stacks/frame_table.h"

namespace dbtrace::commands {

// Not thread-safe.
class StackView {
 public:
  // `several`: there may be queries of several servers. `frames`: of the samples.
  StackView(const StacksOptions& options, const model::Filter& filter, bool several,
            stacks::FrameTable& frames, output::Writer& writer);

  // The terminal has another size.
  void resized();
  // Whether show() is to get this one; it is counted as what it is.
  [[nodiscard]] bool wants(const model::Query& query);
  void show(const model::Query& query, std::vector<model::Sample> samples);
  // Writes what is shown only when all is known.
  void finish();
  void flush();

  // It has enough, or nobody reads it.
  [[nodiscard]] bool ended() const;
  [[nodiscard]] output::WriteStatus status() const { return status_; }
  [[nodiscard]] const Tally& tally() const { return tally_; }
  // A line about queries that found no room; empty: all did.
  [[nodiscard]] std::string left_out() const;

 private:
  const StacksOptions& options_;
  const model::Filter& filter_;
  stacks::FrameTable& frames_;
  output::Writer& writer_;
  std::unique_ptr<output::StackSink> sink_;
  std::optional<KindProfiles> kinds_;
  SlowestProfiles slowest_;
  std::string buffer_;
  output::WriteStatus status_ = output::WriteStatus::Ok;
  Tally tally_;
};

}  // namespace dbtrace::commands
