#include "src/attach/wait_counts.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <cstring>
#include <utility>

#include "bpf/budget_event.h"
#include "bpf/log_linear.h"
#include "bpf/query_bpf.skel.h"
#include "src/attach/probes.h"

namespace dbtrace::attach {

static_assert(DBT_CAUSES == model::kCauses);

namespace {

constexpr uint32_t kMostEvents = 1024;  // a version of PostgreSQL has some 260

}  // namespace

void WaitCounts::prepare(query_bpf& bpf, bool wanted) {
  bpf.rodata->waits_wanted = wanted;
  if (wanted) {
    bpf_map__set_max_entries(bpf.maps.wait_lengths, DBT_CAUSES * DBT_LOG_LINEAR_BUCKETS);
    bpf_map__set_max_entries(bpf.maps.event_sums, kMostEvents);
  }
  bpf_program__set_autoload(bpf.progs.waits_in_progress, wanted);
}

Result<WaitCounts> WaitCounts::open(const query_bpf& bpf) {
  WaitCounts counts;
  counts.bpf_ = &bpf;
  auto iterator = TaskIterator::open(bpf.progs.waits_in_progress);
  if (!iterator) return tl::unexpected(iterator.error());
  counts.in_progress_ = std::move(*iterator);
  return counts;
}

void WaitCounts::add_events(const EventNames& names, model::WaitSums& sums) const {
  const int map = bpf_map__fd(bpf_->maps.event_sums);
  dbt_event_key key{};
  dbt_event_sum sum{};
  for (bool first = true; bpf_map_get_next_key(map, first ? nullptr : &key, &key) == 0;
       first = false) {
    if (bpf_map_lookup_elem(map, &key, &sum) != 0) continue;
    model::EventSums& event = sums.events[names(key.plan, key.event)];
    event.ns += sum.ns;
    event.waits += sum.waits;
  }
}

Result<model::WaitSums> WaitCounts::read(const EventNames& names) const {
  model::WaitSums sums;
  // First: it brings the sums up to now.
  const auto threads = in_progress_.read();
  if (!threads) return tl::unexpected(threads.error());
  for (size_t at = 0; at + sizeof(dbt_spending) <= threads->size(); at += sizeof(dbt_spending)) {
    dbt_spending thread;
    std::memcpy(&thread, threads->data() + at, sizeof(thread));
    if (thread.cause < model::kCauses) ++sums.now[thread.cause];
    if (thread.event != 0) ++sums.events[names(thread.plan, thread.event)].now;
  }
  add_events(names, sums);
  const auto ns = sum_counters(bpf_->maps.cause_sums, model::kCauses);
  const auto lengths =
      sum_counters(bpf_->maps.wait_lengths, model::kCauses * DBT_LOG_LINEAR_BUCKETS);
  if (!ns) return tl::unexpected(ns.error());
  if (!lengths) return tl::unexpected(lengths.error());
  for (size_t cause = 0; cause < model::kCauses; ++cause) {
    sums.ns[cause] = (*ns)[cause];
    for (size_t bucket = 0; bucket < DBT_LOG_LINEAR_BUCKETS; ++bucket)
      if (const uint64_t waits = (*lengths)[cause * DBT_LOG_LINEAR_BUCKETS + bucket])
        sums.lengths[cause].add_bucket(bucket, waits);
  }
  return sums;
}

}  // namespace dbtrace::attach
