#include "src/report/slow_queries.h"

#include <algorithm>
#include <functional>
#include <tuple>

namespace dbtrace::report {
namespace {

uint64_t duration_of(const SlowQuery& slow) { return slow.query->duration_ns; }

// Each once, the slowest first; the order of equal ones is the same in every run.
void order(std::vector<SlowQuery>& queries) {
  const auto key = [](const SlowQuery& slow) {
    const model::Query& query = *slow.query;
    return std::tuple(~query.duration_ns, query.start_ns, query.tid, slow.kind, slow.query.get());
  };
  std::ranges::sort(queries, {}, key);
  const auto rest =
      std::ranges::unique(queries, {}, [](const SlowQuery& slow) { return slow.query; });
  queries.erase(rest.begin(), rest.end());
}

// A page shows the beginning of a text.
std::shared_ptr<const model::Query> copy_of(const model::Query& query) {
  auto copy = std::make_shared<model::Query>(query);
  if (copy->text.size() > SlowQueries::kMostText)
    copy->text = copy->text.substr(0, SlowQueries::kMostText);
  return copy;
}

std::vector<SlowQuery>& at(std::vector<std::vector<SlowQuery>>& lists, size_t index) {
  if (lists.size() <= index) lists.resize(index + 1);
  return lists[index];
}

}  // namespace

bool SlowQueries::has_room(const List& list, size_t most, uint64_t duration_ns) {
  return list.size() < most || duration_of(list.back()) < duration_ns;
}

void SlowQueries::insert(List& list, size_t most, const SlowQuery& slow) {
  if (!has_room(list, most, duration_of(slow))) return;
  list.insert(std::ranges::upper_bound(list, duration_of(slow), std::greater(), duration_of), slow);
  if (list.size() > most) list.pop_back();
}

void SlowQueries::add(const model::Query& query, uint32_t kind, uint32_t bucket) {
  List& of_kind = at(by_kind_, kind);
  List& of_bucket = at(by_bucket_, bucket);
  if (!has_room(of_kind, kOfKind, query.duration_ns) &&
      !has_room(of_bucket, kOfBucket, query.duration_ns))
    return;
  const SlowQuery slow{copy_of(query), kind, bucket};
  insert(of_kind, kOfKind, slow);
  insert(of_bucket, kOfBucket, slow);
}

std::vector<SlowQuery> SlowQueries::of_all(size_t most) const {
  std::vector<SlowQuery> all = of(std::vector<bool>(by_kind_.size(), true));
  all.resize(std::min(all.size(), most));
  return all;
}

std::vector<SlowQuery> SlowQueries::of(const std::vector<bool>& is_wanted) const {
  std::vector<SlowQuery> all;
  for (size_t kind = 0; kind < by_kind_.size(); ++kind)
    if (kind < is_wanted.size() && is_wanted[kind])
      all.insert(all.end(), by_kind_[kind].begin(), by_kind_[kind].end());
  for (const List& list : by_bucket_) all.insert(all.end(), list.begin(), list.end());
  order(all);
  return all;
}

}  // namespace dbtrace::report
