#include "src/model/sums.h"

#include <algorithm>

namespace dbtrace::model {
namespace {

void take_away(uint64_t& from, uint64_t amount) { from -= std::min(from, amount); }

// A greatest value since an earlier one, of values that are at most `bound`.
uint64_t greatest_since(uint64_t now, uint64_t earlier, uint64_t bound) {
  return now > earlier ? now : std::min(now, bound);
}

}  // namespace

Example Example::of(const Query& query) {
  return {.start_ns = query.start_ns,
          .duration_ns = query.duration_ns,
          .pid = query.pid,
          .connection_id = query.connection_id,
          .text = query.text.substr(0, kMostText),
          .text_length = query.text_length,
          .budget = query.budget};
}

void Sums::add(const Query& query) {
  ++count;
  if (query.error.value_or(0) != 0) ++errors;
  total_ns += query.duration_ns;
  durations.add(query.duration_ns);
  if (query.rows_sent) {
    ++rows_sent_known;
    rows_sent += *query.rows_sent;
  }
  if (query.rows_examined) {
    ++rows_examined_known;
    rows_examined += *query.rows_examined;
  }
  if (query.budget) {
    ++budgets;
    for (size_t i = 0; i < kCauses; ++i) by_cause_ns[i] += query.budget->by_cause_ns[i];
    unexplained_ns += query.budget->unexplained_ns;
  }
  if (query.io) {
    ++io_known;
    add_to(io, query.io->operations);
  }
  if (!slowest || query.duration_ns > slowest->duration_ns) slowest = Example::of(query);
  max_ns = std::max(max_ns, query.duration_ns);
}

void Sums::merge(const Sums& other) {
  count += other.count;
  errors += other.errors;
  total_ns += other.total_ns;
  max_ns = std::max(max_ns, other.max_ns);
  durations.merge(other.durations);
  rows_sent += other.rows_sent;
  rows_sent_known += other.rows_sent_known;
  rows_examined += other.rows_examined;
  rows_examined_known += other.rows_examined_known;
  budgets += other.budgets;
  for (size_t i = 0; i < kCauses; ++i) by_cause_ns[i] += other.by_cause_ns[i];
  unexplained_ns += other.unexplained_ns;
  io_known += other.io_known;
  add_to(io, other.io);
  if (other.slowest && (!slowest || other.slowest->duration_ns > slowest->duration_ns))
    slowest = other.slowest;
}

void Sums::subtract(const Sums& earlier) {
  take_away(count, earlier.count);
  take_away(errors, earlier.errors);
  take_away(total_ns, earlier.total_ns);
  durations.subtract(earlier.durations);
  max_ns = greatest_since(max_ns, earlier.max_ns, durations.at_most());
  take_away(rows_sent, earlier.rows_sent);
  take_away(rows_sent_known, earlier.rows_sent_known);
  take_away(rows_examined, earlier.rows_examined);
  take_away(rows_examined_known, earlier.rows_examined_known);
  take_away(budgets, earlier.budgets);
  for (size_t i = 0; i < kCauses; ++i) take_away(by_cause_ns[i], earlier.by_cause_ns[i]);
  take_away(unexplained_ns, earlier.unexplained_ns);
  take_away(io_known, earlier.io_known);
  for (size_t i = 0; i < kFileOperations; ++i) {
    take_away(io[i].count, earlier.io[i].count);
    take_away(io[i].blocked, earlier.io[i].blocked);
    take_away(io[i].bytes, earlier.io[i].bytes);
    take_away(io[i].ns, earlier.io[i].ns);
    io[i].max_ns = greatest_since(io[i].max_ns, earlier.io[i].max_ns, io[i].ns);
  }
  if (slowest && earlier.slowest && slowest->duration_ns <= earlier.slowest->duration_ns)
    slowest.reset();
}

uint64_t Sums::budgeted_ns() const {
  uint64_t sum = unexplained_ns;
  for (const uint64_t part : by_cause_ns) sum += part;
  return sum;
}

uint64_t Sums::io_ns() const {
  uint64_t sum = 0;
  for (const IoCount& operation : io) sum += operation.ns;
  return sum;
}

uint64_t Sums::quantile_ns(double fraction) const {
  return max_ns ? durations.quantile(fraction, max_ns) : durations.quantile(fraction);
}

}  // namespace dbtrace::model
