// Replay: a recording in the place of servers, for commands that show queries.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "src/commands/span.h"
#include "src/commands/tracing/query_choice.h"
#include "src/commands/tracing/summary.h"
#include "src/model/query.h"
#include "src/output/writer.h"
#include "src/recording/reader.h"
#include "symbols/result.h"

namespace CLI {
class App;
}

namespace dbtrace::commands {

// --from. Behind all others: of those only `others` make sense with it.
void add_from_option(CLI::App& command, std::string& path,
                     const std::vector<std::string_view>& others);

// Errors: that is the recording itself; it cannot be opened.
[[nodiscard]] Result<output::Writer> open_output(const std::string& path,
                                                 const std::string& recording);

class Replay {
 public:
  // Errors: as recording::Reader::open() has them.
  [[nodiscard]] static Result<Replay> open(const std::string& path);

  // Of commands live would tell of, those only: else all are handed out. `counts`: as those
  // who count queries have it (commands_to_count).
  void choose(const QueryChoice& choice, bool counts);
  // Hands out the queries, in the order of their ends, until there are no more or `take` returns
  // false. Once.
  [[nodiscard]] Result<void> each(const std::function<bool(const model::Query&)>& take);
  // The same of those with these numbers, any number of times.
  [[nodiscard]] Result<void> each_of(const recording::Ids& ids,
                                     const std::function<bool(const model::Query&)>& take);
  [[nodiscard]] const std::vector<recording::ServerNote>& servers() const { return servers_; }
  [[nodiscard]] bool has_several_servers() const { return servers_.size() > 1; }
  [[nodiscard]] recording::Reader& reader() { return reader_; }
  [[nodiscard]] const recording::Reader& reader() const { return reader_; }

  // All of its time.
  [[nodiscard]] Span span() const {
    return {true, reader_.end_ns(), reader_.end_ns() - reader_.begin_ns()};
  }
  // Commands of which the recording knows nothing else.
  [[nodiscard]] uint64_t lost() const { return lost_; }
  // Of how many budgets something is missing.
  [[nodiscard]] uint64_t without_budget() const { return without_budget_; }
  [[nodiscard]] uint64_t without_text() const { return without_text_; }

  // Says on standard error what was shown, and what the recording does not have. Returns the exit
  // code.
  [[nodiscard]] int conclude(const Tally& tally, const Result<void>& ran) const;

 private:
  explicit Replay(recording::Reader reader) : reader_(std::move(reader)) {}
  [[nodiscard]] std::string account(const Tally& tally) const;
  [[nodiscard]] bool is_asked_for(const model::Query& query);

  recording::Reader reader_;
  bool only_with_text_ = false, without_background_ = false;
  // What was found for the command before: most are of the same.
  std::string_view flavor_;
  uint8_t command_id_ = 0;
  bool is_background_ = false;
  std::vector<recording::ServerNote> servers_;
  uint64_t summed_up_ = 0, lost_ = 0, without_budget_ = 0, without_text_ = 0;
};

}  // namespace dbtrace::commands
