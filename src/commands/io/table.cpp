#include "src/commands/io/table.h"

#include <algorithm>

namespace dbtrace::commands {

IoTable::Row& IoTable::row(const IoSubject& subject, model::FileOperation operation) {
  const Key key(subject, operation);
  if (const auto found = rows_.find(key); found != rows_.end()) return found->second;
  const bool is_full = rows_.size() >= kSubjectsMax;
  const IoSubject& counted =
      is_full ? IoSubject{.kind = IoSubject::Kind::Others, .name = {}, .table = {}} : subject;
  return rows_
      .try_emplace(Key(counted, operation),
                   Row{.subject = counted, .operation = operation, .latencies = {}, .example = {}})
      .first->second;
}

void IoTable::add(const IoSubject& subject, const model::IoOperation& operation,
                  const model::Query* query) {
  totals_[static_cast<size_t>(operation.operation)].add(operation);
  Row& counted = row(subject, operation.operation);
  counted.latencies.add(operation);
  if (query && counted.latencies.sum.count == 1 && counted.subject.kind == IoSubject::Kind::Named &&
      query->text_state == model::TextState::Present)
    counted.example = example_of(*query);
}

void IoTable::merge(const IoTable& other) {
  for (size_t i = 0; i < totals_.size(); ++i) totals_[i].merge(other.totals_[i]);
  for (const auto& [key, from] : other.rows_) {
    Row& to = row(from.subject, from.operation);
    to.latencies.merge(from.latencies);
    if (to.subject == from.subject && to.example.empty()) to.example = from.example;
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

uint64_t IoTable::ns() const {
  uint64_t sum = 0;
  for (const Latencies& total : totals_) sum += total.sum.ns;
  return sum;
}

std::vector<const IoTable::Row*> IoTable::rows() const {
  std::vector<const Row*> rows;
  for (const auto& [key, row] : rows_) rows.push_back(&row);
  std::ranges::stable_sort(rows, std::ranges::greater{},
                           [](const Row* row) { return row->latencies.sum.ns; });
  return rows;
}

}  // namespace dbtrace::commands
