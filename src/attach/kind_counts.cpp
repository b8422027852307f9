#include "src/attach/kind_counts.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <algorithm>
#include <cerrno>
#include <unordered_map>
#include <utility>

#include "bpf/kind_sums.h"
#include "bpf/query_bpf.skel.h"
#include "src/attach/preflight.h"
#include "src/attach/tracer.h"

namespace dbtrace::attach {
namespace {

// Durations spread over some dozens of buckets a kind.
constexpr uint32_t kLengthsPerKind = 32;
constexpr uint32_t kBatch = 1024;

// Hands each entry of a hash map to `take`: its key, and its value or (a per-CPU map) its
// values. Entries that come and go meanwhile are seen once, twice or not at all.
template <typename Key, typename Value, typename Take>
Result<void> each_entry(const bpf_map* map, size_t values_per_key, const Take& take) {
  std::vector<Key> keys(kBatch);
  std::vector<Value> values(kBatch * values_per_key);
  uint64_t in = 0, out = 0;  // where the kernel goes on: of the key's size at most
  for (bool first = true;; first = false) {
    uint32_t count = kBatch;
    const int failed = bpf_map_lookup_batch(bpf_map__fd(map), first ? nullptr : &in, &out,
                                            keys.data(), values.data(), &count, nullptr);
    const int error = failed ? errno : 0;
    if (error && error != ENOENT)
      return tl::unexpected(explain_failure("cannot read the counts of the kernel", error));
    for (uint32_t i = 0; i < count; ++i)
      take(keys[i], std::span<const Value>(values).subspan(i * values_per_key, values_per_key));
    if (error == ENOENT) return {};
    in = out;
  }
}

void add(const dbt_kind_sums& from, model::Sums& to) {
  to.count += from.count;
  to.errors += from.errors;
  to.total_ns += from.total_ns;
  to.max_ns = std::max<uint64_t>(to.max_ns, from.max_ns);
  to.rows_sent += from.rows_sent;
  to.rows_sent_known += from.rows_sent_known;
  to.rows_examined += from.rows_examined;
  to.rows_examined_known += from.rows_examined_known;
  to.budgets += from.budgets;
  // Until all causes are known: of which it is the rest.
  to.unexplained_ns += from.budgeted_ns;
  to.io_known += from.io_known;
  for (size_t i = 0; i < model::kCauses; ++i) to.by_cause_ns[i] += from.cause_ns[i];
  for (size_t i = 0; i < model::kFileOperations; ++i) {
    model::IoCount& io = to.io[i];
    io.count += from.io[i].count;
    io.blocked += from.io[i].blocked;
    io.bytes += from.io[i].bytes;
    io.ns += from.io[i].ns;
    io.max_ns = std::max<uint64_t>(io.max_ns, from.io[i].max_ns);
  }
}

}  // namespace

bool kernel_counts_kinds() {
  return libbpf_probe_bpf_helper(BPF_PROG_TYPE_KPROBE, BPF_FUNC_loop, nullptr) > 0;
}

void prepare_kinds(query_bpf& bpf, const TracerOptions& options) {
  if (!options.kinds) return;
  bpf.rodata->kinds_wanted = true;
  bpf.rodata->kinds_by = *options.kinds;
  bpf.rodata->examples_slower_than_ns = options.examples_slower_than_ns;
  bpf_map__set_max_entries(bpf.maps.kinds, options.table_entries);
  bpf_map__set_max_entries(bpf.maps.kind_lengths, options.table_entries * kLengthsPerKind);
}

Result<KindSums> read_kinds(const query_bpf& bpf) {
  std::unordered_map<uint64_t, model::Sums> kinds;
  const auto cpus = static_cast<size_t>(std::max(libbpf_num_possible_cpus(), 1));
  auto read = each_entry<uint64_t, dbt_kind_sums>(
      bpf.maps.kinds, cpus, [&](uint64_t kind, std::span<const dbt_kind_sums> per_cpu) {
        model::Sums& sums = kinds[kind] = {};
        for (const dbt_kind_sums& part : per_cpu) add(part, sums);
      });
  if (!read) return tl::unexpected(read.error());
  read = each_entry<dbt_kind_length, uint64_t>(
      bpf.maps.kind_lengths, 1, [&](const dbt_kind_length& key, std::span<const uint64_t> times) {
        const auto found = kinds.find(key.kind);
        if (found != kinds.end()) found->second.durations.add_bucket(key.bucket, times.front());
      });
  if (!read) return tl::unexpected(read.error());
  for (auto& [kind, sums] : kinds) {
    const uint64_t budgeted = std::exchange(sums.unexplained_ns, 0);
    const uint64_t explained = sums.budgeted_ns();
    if (budgeted > explained) sums.unexplained_ns = budgeted - explained;
  }
  return KindSums(std::make_move_iterator(kinds.begin()), std::make_move_iterator(kinds.end()));
}

}  // namespace dbtrace::attach
