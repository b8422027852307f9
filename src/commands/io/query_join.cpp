#include "src/commands/io/query_join.h"

#include <algorithm>

namespace dbtrace::commands {

void QueryJoin::add(const model::IoOperation& operation, Clock::time_point now) {
  const Key key(operation.pid, operation.command_start_ns.value_or(0));
  if (const auto known = commands_.find(key); known != commands_.end()) {
    handler_(operation, &known->second.query);
    return;
  }
  if (operations_ >= most_) finish();
  Waiting& waiting = waiting_[key];
  if (waiting.operations.empty()) waiting.since = now;
  waiting.operations.push_back(operation);
  ++operations_;
}

void QueryJoin::command(const model::Query& query, Clock::time_point now) {
  const Key key(query.pid, query.start_ns);
  if (const auto node = waiting_.extract(key)) {
    for (const model::IoOperation& operation : node.mapped().operations)
      handler_(operation, &query);
    operations_ -= node.mapped().operations.size();
  }
  remember(key, query, now);
}

void QueryJoin::remember(const Key& key, const model::Query& query, Clock::time_point now) {
  if (const auto known = commands_.find(key); known != commands_.end()) {
    known->second.is_seen = true;
    known->second.query.running = query.running;
    if (!query.running) known->second.ended = now;
    return;
  }
  // Of too many those that have ended are forgotten at once.
  if (commands_.size() >= kCommandsMax)
    std::erase_if(commands_, [](const auto& entry) { return entry.second.ended.has_value(); });
  if (commands_.size() >= kCommandsMax) return;
  Command command{.query = query, .ended = {}, .is_seen = true};
  if (!query.running) command.ended = now;
  commands_.emplace(key, std::move(command));
}

bool QueryJoin::wants_look(Clock::time_point now) const {
  if (operations_ >= most_ / 2) return true;
  return now - last_look_ >= kPatience && std::ranges::any_of(waiting_, [now](const auto& entry) {
           return now - entry.second.since >= kPatience;
         });
}

void QueryJoin::looked(Clock::time_point now) {
  last_look_ = now;
  for (auto entry = waiting_.begin(); entry != waiting_.end();) {
    Waiting& waiting = entry->second;
    if (now - waiting.since < kPatience || !std::exchange(waiting.missed, true)) {
      ++entry;
      continue;
    }
    give_up(waiting);
    entry = waiting_.erase(entry);
  }
  std::erase_if(commands_, [now](const auto& entry) {
    const Command& command = entry.second;
    return command.ended ? now - *command.ended >= kPatience : !command.is_seen;
  });
  for (auto& [key, command] : commands_) command.is_seen = false;
}

void QueryJoin::finish() {
  for (const auto& [key, waiting] : waiting_) give_up(waiting);
  waiting_.clear();
}

void QueryJoin::give_up(const Waiting& waiting) {
  for (const model::IoOperation& operation : waiting.operations) handler_(operation, nullptr);
  operations_ -= waiting.operations.size();
  unknown_ += waiting.operations.size();
}

}  // namespace dbtrace::commands
