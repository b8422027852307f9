#include "src/report/json_cells.h"

#include <algorithm>
#include <map>
#include <utility>

#include "src/report/json_list.h"

namespace dbtrace::report {
namespace {

void add_to(Cell& sum, const Cell& cell) {
  sum.count += cell.count;
  sum.errors += cell.errors;
  sum.total_ns += cell.total_ns;
  sum.max_ns = std::max(sum.max_ns, cell.max_ns);
  for (size_t i = 0; i < model::kCauses; ++i)
    sum.budget.by_cause_ns[i] += cell.budget.by_cause_ns[i];
  sum.budget.unexplained_ns += cell.budget.unexplained_ns;
  std::map<uint16_t, uint64_t> durations;
  for (const kinds::Slice* slice : {&std::as_const(sum.durations), &cell.durations})
    for (const kinds::SliceCount& count : *slice) durations[count.bucket] += count.count;
  sum.durations.clear();
  for (const auto& [bucket, count] : durations) sum.durations.push_back({bucket, count});
}

void append(uint32_t bucket, uint32_t kind, const Cell& cell, std::string& json) {
  List list(json);
  list.add(bucket).add(kind).add(cell.count).add(cell.errors).add(cell.total_ns).add(cell.max_ns);
  List causes(list.next());
  for (uint32_t cause = 0; cause < model::kCauses; ++cause)
    if (const uint64_t ns = cell.budget.by_cause_ns[cause]) causes.add(cause).add(ns);
  if (const uint64_t ns = cell.budget.unexplained_ns)
    causes.add(static_cast<uint32_t>(model::kCauses)).add(ns);
  causes.end();
  List durations(list.next());
  for (const kinds::SliceCount& count : cell.durations)
    durations.add(uint32_t{count.bucket}).add(count.count);
  durations.end();
  list.end();
}

}  // namespace

void append_cells(const std::vector<Bucket>& buckets, const Places<uint32_t>& kinds,
                  std::string& json) {
  List list(json);
  for (uint32_t bucket = 0; bucket < buckets.size(); ++bucket) {
    Cell others;
    for (const Cell& cell : buckets[bucket].cells) {
      const uint32_t place = kinds.of(cell.kind);
      if (place == kinds.others())
        add_to(others, cell);
      else
        append(bucket, place, cell, list.next());
    }
    if (others.count) append(bucket, kinds.others(), others, list.next());
  }
  list.end();
}

}  // namespace dbtrace::report
