#include "src/report/collector.h"

#include <span>
#include <utility>

#include "src/model/wait_events.h"
#include "src/output/redact.h"

namespace dbtrace::report {
namespace {

kinds::KindOptions kind_options(bool several_servers) {
  kinds::KindOptions options;
  options.several_servers = several_servers;
  options.redact = output::redact;
  return options;
}

// As far as it matters for its kind.
model::Query query_of(const model::Blocker& blocker, const model::Query& blocked, bool literals) {
  model::Query query;
  query.flavor = blocked.flavor;
  query.command = "Query";
  query.text_state = model::TextState::Present;
  query.text = *blocker.query;
  query.text_length = blocker.query_length;
  query.is_fingerprint = !literals;
  return query;
}

}  // namespace

Collector::Collector(const CollectorOptions& options)
    : options_(options), table_(kind_options(options.several_servers)) {}

void Collector::example(const model::Query& query) {
  const std::span<const uint32_t> kinds = table_.kinds().of(query);
  keys_[query.kind].assign(kinds.begin(), kinds.end());
}

void Collector::take(const model::Query& query) {
  // Examples are counted with all others of their kind.
  if (!query.kind) table_.add(query);
  const uint32_t kind = table_.kinds().of(query).front();
  slow_.add(query, kind, static_cast<uint32_t>(bucket()));
  if (query.io) tables_now_.add(*query.io);
  if (query.named_waits) model::add_waits(*query.named_waits, kMostEvents, waits_now_);
  if (query.blocker) add_blocker(query, kind);
}

void Collector::add_blocker(const model::Query& query, uint32_t kind) {
  const model::Blocker& blocker = *query.blocker;
  Party party{.kind = std::nullopt, .idle = blocker.idle, .thread = {}};
  if (blocker.query)
    party.kind = table_.kinds().of(query_of(blocker, query, options_.literals)).front();
  else
    party.thread = blocker.title.empty() ? blocker.thread : blocker.title;
  blocks_now_.add({party, {.kind = kind, .idle = false, .thread = {}}, blocker.cause},
                  {1, blocker.waited_ns, blocker.waited_ns});
}

void Collector::add(const kinds::KernelSums::Sums& sums) {
  for (const auto& [key, part] : sums)
    if (const auto known = keys_.find(key); known != keys_.end()) table_.add(known->second, part);
}

Cell Collector::cell_of(uint32_t kind) const {
  const model::Sums& sums = table_.interval(kind);
  return {.kind = kind,
          .count = sums.count,
          .errors = sums.errors,
          .total_ns = sums.total_ns,
          .max_ns = sums.max_ns,
          .budget = sums.budget(),
          .durations = kinds::slice_of(sums.durations)};
}

void Collector::end_bucket() {
  Bucket bucket;
  for (uint32_t kind = 0; kind < table_.kinds().size(); ++kind)
    if (table_.interval(kind).count) bucket.cells.push_back(cell_of(kind));
  for (const auto& [name, operations] : tables_now_.heaviest_first())
    bucket.tables.emplace_back(name, operations);
  bucket.other_tables = tables_now_.rest();
  bucket.events.assign(waits_now_.events.begin(), waits_now_.events.end());
  bucket.blocks.assign(blocks_now_.all().begin(), blocks_now_.all().end());
  bucket.other_blocks = blocks_now_.rest();
  buckets_.push_back(std::move(bucket));

  table_.end_interval();
  tables_.merge(tables_now_);
  tables_now_.clear();
  waits_.add(std::exchange(waits_now_, {}));
  blocks_.merge(blocks_now_);
  blocks_now_.clear();
}

std::vector<kinds::Ranked> Collector::ranked() const {
  std::vector<kinds::Ranked> ranked;
  for (uint32_t kind = 0; kind < table_.kinds().size(); ++kind)
    if (table_.total(kind).count) ranked.push_back({kind, &table_.total(kind)});
  kinds::sort(ranked, kinds::SortKey::Total);
  return ranked;
}

}  // namespace dbtrace::report
