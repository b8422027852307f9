#include "src/recording/sum_rows.h"

#include <algorithm>

namespace dbtrace::recording {
namespace {

using model::Histogram;
using model::Sums;

Sums& sums_of(kinds::KernelSums::Sums& all, std::unordered_map<uint64_t, size_t>& places,
              uint64_t kind) {
  const auto [place, is_new] = places.try_emplace(kind, all.size());
  if (is_new) all.emplace_back(kind, Sums());
  return all[place->second].second;
}

void get_sums(Statement& rows, Sums& sums) {
  rows.get(sums.count)
      .get(sums.errors)
      .get(sums.total_ns)
      .get(sums.max_ns)
      .get(sums.rows_sent)
      .get(sums.rows_sent_known)
      .get(sums.rows_examined)
      .get(sums.rows_examined_known)
      .get(sums.budgets);
  for (uint64_t& ns : sums.by_cause_ns) rows.get(ns);
  rows.get(sums.unexplained_ns).get(sums.io_known);
}

}  // namespace

SumWriter::SumWriter(Database& database)
    : stretch_(database.insert_into("stretch", 8)),
      sum_(database.insert_into("kind_sum", 29)),
      io_(database.insert_into("kind_io", 8)),
      duration_(database.insert_into("kind_duration", 5)) {}

void SumWriter::end_stretch(const Stretch& stretch, int64_t first_query) {
  stretch_.put(++last_stretch_)
      .put(stretch.begin_ns)
      .put(stretch.end_ns)
      .put(first_query)
      .put(stretch.queries)
      .put(stretch.kept)
      .put(stretch.one_in)
      .put(stretch.slow_ns)
      .run();
  for (const auto& [kind, sums] : sums_) write(last_stretch_, kind, sums);
  sums_.clear();
}

void SumWriter::write(int64_t stretch, int64_t kind, const Sums& sums) {
  sum_.put(stretch)
      .put(kind)
      .put(sums.count)
      .put(sums.errors)
      .put(sums.total_ns)
      .put(sums.max_ns)
      .put(sums.rows_sent)
      .put(sums.rows_sent_known)
      .put(sums.rows_examined)
      .put(sums.rows_examined_known)
      .put(sums.budgets);
  for (const uint64_t ns : sums.by_cause_ns) sum_.put(ns);
  sum_.put(sums.unexplained_ns).put(sums.io_known).run();

  for (size_t i = 0; i < model::kFileOperations; ++i) {
    const model::IoCount& io = sums.io[i];
    if (!io.count) continue;
    io_.put(stretch).put(kind).put(i).put(io.count).put(io.blocked).put(io.bytes);
    io_.put(io.ns).put(io.max_ns).run();
  }
  const auto& counts = sums.durations.counts();
  for (size_t bucket = 0; bucket < counts.size(); ++bucket)
    if (counts[bucket])
      duration_.put(stretch)
          .put(kind)
          .put(Histogram::least(bucket))
          .put(Histogram::greatest(bucket))
          .put(counts[bucket])
          .run();
}

kinds::KernelSums::Sums read_sums(Database& database, uint64_t from_ns, uint64_t to_ns) {
  const auto of_stretches = [&](const std::string& what, const std::string& group) {
    Statement rows = database.prepare(
        what + " where stretch in (select id from stretch where end_ns >= ? and end_ns < ?) " +
        group);
    rows.put(from_ns).put(to_ns);
    return rows;
  };
  kinds::KernelSums::Sums all;
  std::unordered_map<uint64_t, size_t> places;
  Statement sums = of_stretches("select * from kind_sum", "");
  while (sums.next()) {
    uint64_t stretch = 0, kind = 0;
    Sums part;
    get_sums(sums.get(stretch).get(kind), part);
    sums_of(all, places, kind).merge(part);
  }
  Statement durations =
      of_stretches("select kind, at_least_ns, sum(count) from kind_duration", "group by 1, 2");
  while (durations.next()) {
    uint64_t kind = 0, at_least_ns = 0, count = 0;
    durations.get(kind).get(at_least_ns).get(count);
    sums_of(all, places, kind).durations.add(at_least_ns, count);
  }
  Statement io = of_stretches(
      "select kind, operation, sum(count), sum(blocked), sum(bytes), sum(ns), max(max_ns) "
      "from kind_io",
      "group by 1, 2");
  while (io.next()) {
    uint64_t kind = 0, operation = 0;
    model::IoCount sum;
    io.get(kind).get(operation);
    io.get(sum.count).get(sum.blocked).get(sum.bytes).get(sum.ns).get(sum.max_ns);
    if (operation < model::kFileOperations) sums_of(all, places, kind).io[operation] = sum;
  }
  return all;
}

}  // namespace dbtrace::recording
