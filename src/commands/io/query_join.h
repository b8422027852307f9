// Whose operations they are. A command is told of when it ends, or while it runs when
// somebody looks: after most of its operations, which wait here until then, but before the
// asynchronous ones that outlast it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "src/model/io_operation.h"
#include "src/model/query.h"

namespace dbtrace::commands {

// Not thread-safe. Memory is bounded by `most` operations and kCommandsMax. Commands are told
// apart by process and start: two that start in the same nanosecond are taken for one.
class QueryJoin {
 public:
  using Clock = std::chrono::steady_clock;
  // Nobody waits for longer than twice this to see an operation; and for this long a
  // command that has ended is remembered.
  static constexpr std::chrono::seconds kPatience{1};
  static constexpr size_t kCommandsMax = 1024;

  // Called once for each operation; nullptr: its query is not known and never will be.
  using Handler = std::function<void(const model::IoOperation&, const model::Query*)>;
  // `most`: operations that may wait, two or more.
  QueryJoin(Handler handler, size_t most) : handler_(std::move(handler)), most_(most) {}

  // An operation with a command.
  void add(const model::IoOperation& operation, Clock::time_point now);
  // A command that has ended, or runs.
  void command(const model::Query& query, Clock::time_point now);

  // Whether it is time to look which commands run: to give each of them to command(), and
  // then to call looked().
  [[nodiscard]] bool wants_look(Clock::time_point now) const;
  void looked(Clock::time_point now);
  // Nothing will come any more.
  void finish();

  [[nodiscard]] uint64_t unknown() const { return unknown_; }

 private:
  using Key = std::pair<uint32_t, uint64_t>;  // process, start
  struct Waiting {
    std::vector<model::IoOperation> operations;
    Clock::time_point since;
    bool missed = false;  // by a look that came late enough
  };
  struct Command {
    model::Query query;
    std::optional<Clock::time_point> ended;
    bool is_seen = true;  // it runs, or did at the last look
  };
  void remember(const Key& key, const model::Query& query, Clock::time_point now);
  void give_up(const Waiting& waiting);

  Handler handler_;
  size_t most_;
  std::map<Key, Waiting> waiting_;
  std::map<Key, Command> commands_;
  size_t operations_ = 0;  // that wait
  Clock::time_point last_look_{};
  uint64_t unknown_ = 0;
};

}  // namespace dbtrace::commands
