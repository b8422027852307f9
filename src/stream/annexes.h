// What the kernel sends just before a command because the command's own event has no
// room for it: the rest of a long text, its budget, who blocked it, what it waited for. They
// wait here for their command, which tid and start tell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "bpf/budget_event.h"
#include "src/model/query.h"
#include "src/stream/event_source.h"
#include "src/stream/files.h"

namespace dbtrace::stream {

// One value a thread, for the command that it is about to send. A command that is lost
// leaves its value behind: of too many all are dropped, as the oldest are not known.
template <typename T, size_t Max>
class BeforeCommand {
 public:
  static constexpr size_t kMax = Max;

  void put(uint32_t tid, uint64_t start_ns, T value) {
    if (waiting_.size() >= Max) waiting_.clear();
    waiting_.insert_or_assign(tid, std::pair(start_ns, std::move(value)));
  }

  // The thread's value, if it is that command's; an earlier command's is dropped.
  std::optional<T> take(uint32_t tid, uint64_t start_ns) {
    const auto node = waiting_.extract(tid);
    if (node.empty() || node.mapped().first != start_ns) return std::nullopt;
    return std::move(node.mapped().second);
  }

 private:
  std::map<uint32_t, std::pair<uint64_t, T>> waiting_;
};

// Not thread-safe; memory is bounded. feed_…: false when the event is malformed.
class Annexes {
 public:
  bool feed_tail(std::span<const std::byte> event);
  bool feed_budget(std::span<const std::byte> event);
  bool feed_blocker(std::span<const std::byte> event, const EventSource& source);
  bool feed_waits(std::span<const std::byte> event);

  // Adds what came for this command to the query, which has its own fields and none of
  // these.
  void add_tail(const dbt_command_event& command, model::Query& query);
  void add_budget(const dbt_command_event& command, Files& files, model::Query& query);
  // Behind add_budget().
  void add_waits(const dbt_command_event& command, const EventSource& source, model::Query& query);

 private:
  BeforeCommand<std::string, 64> tails_;
  BeforeCommand<dbt_budget_event, 1024> budgets_;
  BeforeCommand<model::Blocker, 1024> blockers_;
  BeforeCommand<dbt_named_waits_event, 1024> waits_;
};

}  // namespace dbtrace::stream
