#include "src/commands/io/query_join.h"

#include <algorithm>

namespace dbtrace::commands {

void QueryJoin::add(const model::IoOperation& operation, Clock::time_point now) {
  const Key key(operation.pid, operation.command_start_ns.value_or(0));
  if (const auto known = running_.find(key); known != running_.end()) {
    handler_(operation, &known->second.query);
    return;
  }
  if (operations_ >= kOperationsMax) finish();
  Waiting& waiting = waiting_[key];
  if (waiting.operations.empty()) waiting.since = now;
  waiting.operations.push_back(operation);
  ++operations_;
}

void QueryJoin::command(const model::Query& query) {
  const Key key(query.pid, query.start_ns);
  if (const auto node = waiting_.extract(key)) {
    for (const model::IoOperation& operation : node.mapped().operations)
      handler_(operation, &query);
    operations_ -= node.mapped().operations.size();
  }
  if (!query.running) {
    running_.erase(key);
  } else if (const auto known = running_.find(key); known != running_.end()) {
    known->second.is_seen = true;
  } else if (running_.size() < kRunningMax) {
    running_.emplace(key, Running{.query = query, .is_seen = true});
  }
}

bool QueryJoin::wants_look(Clock::time_point now) const {
  if (now - last_look_ < kPatience && operations_ < kOperationsMax / 2) return false;
  return operations_ >= kOperationsMax / 2 ||
         std::ranges::any_of(
             waiting_, [now](const auto& entry) { return now - entry.second.since >= kPatience; });
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
  std::erase_if(running_, [](const auto& entry) { return !entry.second.is_seen; });
  for (auto& [key, running] : running_) running.is_seen = false;
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
