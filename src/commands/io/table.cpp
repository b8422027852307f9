#include "src/commands/io/table.h"

#include <algorithm>

namespace dbtrace::commands {

IoTable::Row& IoTable::row(const IoSubject& subject, IoKind kind) {
  const Key key(subject, kind);
  if (const auto found = rows_.find(key); found != rows_.end()) return found->second;
  const bool is_full = rows_.size() >= kSubjectsMax;
  const IoSubject& counted =
      is_full ? IoSubject{.kind = IoSubject::Kind::Others, .name = {}, .table = {}} : subject;
  return rows_
      .try_emplace(Key(counted, kind),
                   Row{.subject = counted, .kind = kind, .latencies = {}, .example = {}})
      .first->second;
}

void IoTable::add(const IoSubject& subject, const model::IoOperation& operation,
                  const model::Query* query) {
  totals_[static_cast<size_t>(kind_of(operation))].add(operation);
  Row& counted = row(subject, kind_of(operation));
  counted.latencies.add(operation);
  if (query && counted.latencies.sum.count == 1 && counted.subject.kind == IoSubject::Kind::Named &&
      query->text_state == model::TextState::Present && !query->is_fingerprint)
    counted.example = example_of(*query);
}

void IoTable::merge(const IoTable& other) {
  for (size_t i = 0; i < totals_.size(); ++i) totals_[i].merge(other.totals_[i]);
  for (const auto& [key, from] : other.rows_) {
    Row& to = row(from.subject, from.kind);
    to.latencies.merge(from.latencies);
    if (to.subject == from.subject && to.example.empty()) to.example = from.example;
  }
}

void IoTable::rename_table(const std::string& from, const std::string& to, IoBy by) {
  if (by != IoBy::Table && by != IoBy::File) return;
  const auto table = by == IoBy::Table ? &IoSubject::name : &IoSubject::table;
  std::vector<Row> renamed;
  std::erase_if(rows_, [&](auto& entry) {
    if (entry.second.subject.*table != from) return false;
    renamed.push_back(std::move(entry.second));
    return true;
  });
  for (Row& old : renamed) {
    old.subject.*table = to;
    row(old.subject, old.kind).latencies.merge(old.latencies);
  }
}

void IoTable::clear() {
  totals_ = {};
  rows_.clear();
}

uint64_t IoTable::operations() const {
  uint64_t sum = 0;
  for (const Latencies& total : totals_) sum += total.sum.count;
  return sum;
}

uint64_t IoTable::bytes() const {
  uint64_t sum = 0;
  for (const Latencies& total : totals_) sum += total.sum.bytes;
  return sum;
}

uint64_t IoTable::ns(bool asynchronous) const {
  uint64_t sum = 0;
  for (size_t i = 0; i < totals_.size(); ++i)
    if (is_asynchronous(static_cast<IoKind>(i)) == asynchronous) sum += totals_[i].sum.ns;
  return sum;
}

double IoTable::share(const Row& row) const {
  const uint64_t all = ns(is_asynchronous(row.kind));
  return all == 0 ? 0 : static_cast<double>(row.latencies.sum.ns) / static_cast<double>(all);
}

std::vector<const IoTable::Row*> IoTable::rows() const {
  std::vector<const Row*> rows;
  for (const auto& [key, row] : rows_) rows.push_back(&row);
  std::ranges::stable_sort(rows, std::ranges::greater{},
                           [](const Row* row) { return row->latencies.sum.ns; });
  return rows;
}

}  // namespace dbtrace::commands
