#include "src/attach/wait_counts.h"

#include <bpf/libbpf.h>

#include <cstring>
#include <utility>

#include "bpf/budget_event.h"
#include "bpf/log_linear.h"
#include "bpf/query_bpf.skel.h"
#include "src/attach/probes.h"

namespace dbtrace::attach {

static_assert(DBT_CAUSES == model::kCauses);

void WaitCounts::prepare(query_bpf& bpf, bool wanted) {
  bpf.rodata->waits_wanted = wanted;
  if (wanted) bpf_map__set_max_entries(bpf.maps.wait_lengths, DBT_CAUSES * DBT_LOG_LINEAR_BUCKETS);
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

Result<model::WaitSums> WaitCounts::read() const {
  model::WaitSums sums;
  // First: it brings the sums up to now.
  const auto threads = in_progress_.read();
  if (!threads) return tl::unexpected(threads.error());
  for (size_t at = 0; at + sizeof(dbt_u32) <= threads->size(); at += sizeof(dbt_u32)) {
    dbt_u32 cause = 0;
    std::memcpy(&cause, threads->data() + at, sizeof(cause));
    if (cause < model::kCauses) ++sums.now[cause];
  }
  const auto ns = sum_counters(bpf_->maps.cause_sums, model::kCauses);
  const auto lengths =
      sum_counters(bpf_->maps.wait_lengths, model::kCauses * DBT_LOG_LINEAR_BUCKETS);
  for (size_t cause = 0; cause < model::kCauses; ++cause) {
    sums.ns[cause] = ns[cause];
    for (size_t bucket = 0; bucket < DBT_LOG_LINEAR_BUCKETS; ++bucket)
      if (const uint64_t waits = lengths[cause * DBT_LOG_LINEAR_BUCKETS + bucket])
        sums.lengths[cause].add_bucket(bucket, waits);
  }
  return sums;
}

}  // namespace dbtrace::attach
