#include "src/commands/top/details.h"

#include <algorithm>
#include <utility>

namespace dbtrace::commands::top {
namespace {

// Whether something of this weight would be among the `most` heaviest.
template <typename Value, typename Weight>
bool is_wanted(const std::vector<Value>& values, size_t most, Weight weight, uint64_t of_new) {
  return values.size() < most || values.back().*weight < of_new;
}

template <typename Value, typename Weight>
void insert(std::vector<Value>& values, size_t most, Weight weight, Value value) {
  const auto place = std::ranges::upper_bound(values, value.*weight, std::greater(), weight);
  values.insert(place, std::move(value));
  if (values.size() > most) values.pop_back();
}

model::Blocker with_short_text(model::Blocker blocker) {
  if (blocker.query && blocker.query->size() > model::Example::kMostText)
    blocker.query->resize(model::Example::kMostText);
  return blocker;
}

}  // namespace

void Details::add(const model::Query& query) {
  constexpr auto kDuration = &model::Example::duration_ns;
  constexpr auto kWaited = &model::Blocker::waited_ns;
  if (is_wanted(slowest, kExamples, kDuration, query.duration_ns))
    insert(slowest, kExamples, kDuration, model::Example::of(query));
  if (query.io) tables.add(*query.io);
  if (!query.blocker) return;
  ++blocked;
  blocked_ns += query.blocker->waited_ns;
  if (is_wanted(blockers, kBlockers, kWaited, query.blocker->waited_ns))
    insert(blockers, kBlockers, kWaited, with_short_text(*query.blocker));
}

void Details::merge(const Details& other) {
  constexpr auto kDuration = &model::Example::duration_ns;
  constexpr auto kWaited = &model::Blocker::waited_ns;
  for (const model::Example& example : other.slowest)
    if (is_wanted(slowest, kExamples, kDuration, example.duration_ns))
      insert(slowest, kExamples, kDuration, example);
  tables.merge(other.tables);
  blocked += other.blocked;
  blocked_ns += other.blocked_ns;
  for (const model::Blocker& blocker : other.blockers)
    if (is_wanted(blockers, kBlockers, kWaited, blocker.waited_ns))
      insert(blockers, kBlockers, kWaited, blocker);
}

}  // namespace dbtrace::commands::top
