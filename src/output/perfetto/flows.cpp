#include "src/output/perfetto/flows.h"

#include <algorithm>
#include <functional>

#include "src/output/perfetto/span.h"

namespace dbtrace::output::perfetto {
namespace {

size_t hash(const std::string& text) { return std::hash<std::string>()(text); }

}  // namespace

void Flows::add(const model::Query& query) {
  const size_t number = added_++;
  if (query.depth > 0) return;  // the blocker is told as a command
  const uint64_t end_ns = end_of(query);
  if (query.connection_id && query.text_state == model::TextState::Present)
    works_[{query.pid, *query.connection_id}].push_back(
        {query.start_ns, end_ns, hash(query.text), number});
  const std::optional<model::Blocker>& blocker = query.blocker;
  if (!blocker || !blocker->connection_id || !blocker->query) return;
  waits_.push_back({.query = number,
                    .blocker = {blocker->pid, *blocker->connection_id},
                    .idle = blocker->idle,
                    .text = hash(*blocker->query),
                    .earliest_ns = std::min(end_ns, query.start_ns + blocker->waited_ns),
                    .latest_ns = end_ns});
}

const Flows::Work* Flows::blocker_of(const Wait& wait, const std::vector<Work>& works) {
  const Work* found = nullptr;
  // From the first that may have been under way on.
  auto work = std::ranges::lower_bound(works, wait.earliest_ns, {}, &Work::end_ns);
  if (wait.idle) {
    const auto begins_later = [&](const Work& each) { return each.begin_ns > wait.latest_ns; };
    if (work != works.end() && !begins_later(*work)) return nullptr;
    return work != works.begin() && (--work)->text == wait.text ? &*work : nullptr;
  }
  for (; work != works.end() && work->begin_ns <= wait.latest_ns; ++work) {
    if (work->text != wait.text) continue;
    if (found) return nullptr;
    found = &*work;
  }
  return found;
}

void Flows::connect() {
  for (auto& [session, works] : works_) std::ranges::stable_sort(works, {}, &Work::end_ns);
  for (const Wait& wait : waits_) {
    const auto works = works_.find(wait.blocker);
    const Work* const work = works != works_.end() ? blocker_of(wait, works->second) : nullptr;
    if (!work || work->query == wait.query) continue;
    from_[work->query].push_back(wait.query);
    blocked_.insert(wait.query);
  }
  works_.clear();
  waits_.clear();
}

const std::vector<uint64_t>& Flows::from(size_t query) const {
  static const std::vector<uint64_t> none;
  const auto found = from_.find(query);
  return found != from_.end() ? found->second : none;
}

}  // namespace dbtrace::output::perfetto
