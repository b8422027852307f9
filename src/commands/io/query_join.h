// Whose operations they are: a command is told of after its operations, when it ends, or
// while it runs when somebody looks. Until then its operations wait here.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "src/model/io_operation.h"
#include "src/model/query.h"

namespace dbtrace::commands {

// Not thread-safe. Memory is bounded by kOperationsMax and kRunningMax. Commands are told
// apart by process and start: two that start in the same nanosecond are taken for one.
class QueryJoin {
 public:
  using Clock = std::chrono::steady_clock;
  // Nobody waits for longer than twice this to see an operation.
  static constexpr std::chrono::seconds kPatience{1};
  static constexpr size_t kOperationsMax = 65'536;
  static constexpr size_t kRunningMax = 1024;

  // Called once for each operation; nullptr: its query is not known and never will be.
  using Handler = std::function<void(const model::IoOperation&, const model::Query*)>;
  explicit QueryJoin(Handler handler) : handler_(std::move(handler)) {}

  // An operation with a command.
  void add(const model::IoOperation& operation, Clock::time_point now);
  // A command that has ended, or runs.
  void command(const model::Query& query);

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
  struct Running {
    model::Query query;
    bool is_seen = true;  // by the last look
  };
  void give_up(const Waiting& waiting);

  Handler handler_;
  std::map<Key, Waiting> waiting_;
  std::map<Key, Running> running_;
  size_t operations_ = 0;  // that wait
  Clock::time_point last_look_{};
  uint64_t unknown_ = 0;
};

}  // namespace dbtrace::commands
