#include "src/output/perfetto/flows.h"

#include <algorithm>
#include <functional>
#include <iterator>

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

// What a session that was idle had done last, if that was the text.
const Flows::Work* Flows::last_before(const Wait& wait, const Works& by_end) {
  auto work = std::ranges::lower_bound(by_end, wait.earliest_ns, {}, &Work::end_ns);
  if (work != by_end.end() && work->begin_ns <= wait.latest_ns) return nullptr;
  return work != by_end.begin() && (--work)->text == wait.text ? &*work : nullptr;
}

// The only one of the text that may have been under way.
const Flows::Work* Flows::under_way(const Wait& wait, const Works& by_text) {
  const auto key = [](const Work& work) { return std::pair(work.text, work.end_ns); };
  const auto work =
      std::ranges::lower_bound(by_text, std::pair(wait.text, wait.earliest_ns), {}, key);
  const auto may_be_meant = [&](Works::const_iterator each) {
    return each != by_text.end() && each->text == wait.text && each->begin_ns <= wait.latest_ns;
  };
  return may_be_meant(work) && !may_be_meant(std::next(work)) ? &*work : nullptr;
}

void Flows::connect(const Wait& wait, const Work* blocker) {
  if (!blocker || blocker->query == wait.query) return;
  from_[blocker->query].push_back(wait.query);
  blocked_.insert(wait.query);
}

void Flows::connect() {
  std::ranges::stable_sort(waits_, {},
                           [](const Wait& wait) { return std::pair(wait.blocker, !wait.idle); });
  for (auto wait = waits_.begin(); wait != waits_.end();) {
    const Session session = wait->blocker;
    Works works = std::move(works_[session]);
    std::ranges::stable_sort(works, {}, &Work::end_ns);
    for (; wait != waits_.end() && wait->blocker == session && wait->idle; ++wait)
      connect(*wait, last_before(*wait, works));
    std::ranges::stable_sort(works, {}, &Work::text);
    for (; wait != waits_.end() && wait->blocker == session; ++wait)
      connect(*wait, under_way(*wait, works));
  }
  for (auto& [query, flows] : from_) std::ranges::sort(flows);
  works_.clear();
  waits_.clear();
}

const std::vector<uint64_t>& Flows::from(size_t query) const {
  static const std::vector<uint64_t> none;
  const auto found = from_.find(query);
  return found != from_.end() ? found->second : none;
}

}  // namespace dbtrace::output::perfetto
