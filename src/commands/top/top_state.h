// What `dbtrace top` has counted: kinds of query, their last minute and their details, I/O
// by table, what runs, and where time goes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "src/commands/top/details.h"
#include "src/commands/top/history.h"
#include "src/kinds/kind_table.h"
#include "src/model/query.h"
#include "src/model/sums.h"
#include "src/model/table_io.h"
#include "src/model/wait_sums.h"

namespace dbtrace::commands::top {

// Which time numbers are about: the last interval, or everything since the beginning.
enum class Over : uint8_t { Interval, Run };

// What is known at the end of an interval besides the queries.
struct Look {
  uint64_t time_ns = 0;                  // of a clock that does not go back
  uint64_t lost = 0;                     // commands, since the beginning
  std::optional<model::WaitSums> waits;  // up to now; none: not measured
  // What queries have spent up to now, those that run included; none: what `waits` add up to.
  std::optional<uint64_t> spent_ns = {};
};

// Everything that is asked is as of the last end_interval(), however many queries were added
// since: who pauses ends no interval. Memory is bounded by KindOptions::max_kinds. Not
// thread-safe.
class TopState {
 public:
  TopState(const kinds::KindOptions& options, const Look& begin);

  // A query that has ended; `now_ns` is of the looks' clock.
  void add(const model::Query& query, uint64_t now_ns);
  // Queries of which only this is known, all of these kinds; and one of them.
  void add(std::span<const uint32_t> kinds, const model::Sums& sums);
  void add_example(const model::Query& query);
  void end_interval(Look look);
  // What was added since the last call of these two is an interval of the run, which has it
  // already: the interval's numbers are about it from here on. `histories`: of all kinds.
  void look_back(Look begin, Look end, std::vector<History> histories);
  // What runs now; shown at once.
  void set_running(std::vector<model::Query> running) { running_ = std::move(running); }

  [[nodiscard]] kinds::By by() const { return table_.kinds().options().by; }
  // What a query counts for; for what is no query: the kind of that name.
  [[nodiscard]] std::span<const uint32_t> kinds_of(const model::Query& query) {
    return table_.kinds().of(query);
  }
  [[nodiscard]] uint32_t kind_named(std::string_view name) { return table_.kinds().named(name); }
  // Kinds are numbers below kinds(). They stay.
  [[nodiscard]] size_t kinds() const { return shown_.size(); }
  [[nodiscard]] const kinds::Kind& kind(uint32_t kind) const { return table_.kinds()[kind]; }
  [[nodiscard]] const model::Sums& sums(uint32_t kind, Over over) const;
  [[nodiscard]] const model::Sums& sums_of_all(Over over) const;
  // Of the run.
  [[nodiscard]] const Details& details(uint32_t kind) const { return shown_[kind].details; }
  [[nodiscard]] const History& history(uint32_t kind) const { return shown_[kind].history; }
  // Where a history's minute ends.
  [[nodiscard]] uint64_t history_end() const;
  // Whether a kind has something to show: in the interval also when it was seen in the last
  // minute.
  [[nodiscard]] bool is_alive(uint32_t kind, Over over) const;

  [[nodiscard]] uint64_t length_ns(Over over) const;
  [[nodiscard]] const model::TableIo& io(Over over) const;
  // None: not measured.
  [[nodiscard]] std::optional<model::WaitSums> waits(Over over) const;
  // Threads in queries, on average: at work or waiting.
  [[nodiscard]] double at_work(Over over) const;
  [[nodiscard]] const std::vector<model::Query>& running() const { return running_; }
  [[nodiscard]] uint64_t lost() const { return run_.end.lost; }

 private:
  static constexpr size_t kTables = 1000;
  struct Stretch {
    Look begin, end;
  };
  [[nodiscard]] const Stretch& stretch(Over over) const {
    return over == Over::Run ? run_ : interval_;
  }
  void grow();
  void keep_interval();

  // What a kind has besides its sums.
  struct Extra {
    Details details;
    History history;
  };

  kinds::KindTable table_;
  std::vector<Extra> extra_;  // by kind: what has come since the last interval, and the minute
  std::vector<Extra> shown_;
  std::vector<model::Sums> last_;  // the last interval's, by kind
  model::Sums last_of_all_;
  model::TableIo io_{kTables}, last_io_{kTables}, io_of_run_{kTables};
  Stretch run_, interval_;
  std::vector<model::Query> running_;
};

}  // namespace dbtrace::commands::top
