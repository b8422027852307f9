// Recorded: a recording as a source, an interval of its time after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "src/commands/replay/end_index.h"
#include "src/commands/replay/intervals.h"
#include "src/commands/replay/replay.h"
#include "src/commands/top/seconds.h"
#include "src/commands/top/source.h"
#include "src/commands/top/spent.h"
#include "src/commands/top/top.h"
#include "src/model/filter.h"

namespace dbtrace::commands::top {

// The recording is read once, for the run's numbers (all of its time) and to know where what ended
// when is; any interval is then read by itself, whichever came before. Not thread-safe.
class Recorded final : public Source {
 public:
  // Both must outlive it; `replay` is this one's to read. Shows the interval that has this time
  // (since the Unix epoch).
  [[nodiscard]] static Result<std::unique_ptr<Recorded>> open(Replay& replay,
                                                              const TopOptions& options,
                                                              const model::Filter& filter,
                                                              uint64_t at_ns);

  [[nodiscard]] const TopState& state() const override { return state_; }
  [[nodiscard]] About about() const override;
  [[nodiscard]] bool has_several_servers() const override { return replay_.has_several_servers(); }
  void act(const Action& action) override;

  // Whether there is an interval behind the one that is shown.
  [[nodiscard]] bool has_more() const { return !intervals_.is_last(interval_); }
  // What reading it came to, since the beginning.
  [[nodiscard]] const Result<void>& read() const { return read_; }
  [[nodiscard]] const Tally& tally() const { return tally_; }

 private:
  Recorded(Replay& replay, const TopOptions& options, const model::Filter& filter);
  // When a query ran. Moments: see Intervals.
  struct Times {
    uint64_t begin, end;
  };
  // What is shown: what ended from the first moment to before the last.
  struct Part {
    uint64_t from = 0, to = UINT64_MAX;
    Spent spent = {};
  };
  [[nodiscard]] Times times_of(const model::Query& query) const;
  [[nodiscard]] std::span<const uint32_t> kinds_of(uint64_t key);

  [[nodiscard]] Result<void> read_all();
  [[nodiscard]] Result<void> show(uint64_t interval);
  void go(uint64_t back, uint64_t on);

  // One that has ended. Of what was counted when it was recorded (model::Query::kind) it is an
  // example only, and add_sums() adds it.
  void add(const model::Query& query, const Times& times, Part& part);
  // `second`: of the recording, if it is to be remembered.
  [[nodiscard]] Result<void> add_sums(Part& part, std::optional<uint64_t> second);
  [[nodiscard]] Result<void> add_all_sums(Part& part);
  [[nodiscard]] Result<void> add_ended(Part& part);
  // Those that had not ended at a moment, but later.
  [[nodiscard]] Result<void> add_running(uint64_t moment, Part& part);
  [[nodiscard]] Look look(uint64_t moment, Spent spent) const;

  Replay& replay_;
  const model::Filter& filter_;
  const Intervals intervals_;
  TopState state_;
  EndIndex index_;
  Seconds seconds_;
  std::unordered_map<uint64_t, std::vector<uint32_t>> kinds_of_keys_;  // model::Query::kind
  bool has_budgets_ = false;
  uint64_t interval_ = 0;  // that is shown
  Tally tally_{.shown_as = "counted"};
  Result<void> read_;
};

}  // namespace dbtrace::commands::top
