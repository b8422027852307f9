#include "src/commands/top/top_state.h"

#include <utility>

namespace dbtrace::commands::top {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

const model::Sums& at(const std::vector<model::Sums>& sums, uint32_t kind) {
  static const model::Sums kNothing;
  return kind < sums.size() ? sums[kind] : kNothing;
}

}  // namespace

TopState::TopState(const kinds::KindOptions& options, const Look& begin)
    : table_(options), run_{begin, begin}, interval_{begin, begin} {}

void TopState::grow() {
  if (extra_.size() < table_.kinds().size()) extra_.resize(table_.kinds().size());
}

void TopState::add(const model::Query& query, uint64_t now_ns) {
  table_.add(query);
  grow();
  for (const uint32_t kind : table_.kinds().of(query)) {
    extra_[kind].details.add(query);
    extra_[kind].history.add(now_ns / kSecond, query.duration_ns);
  }
  if (query.io) io_.add(*query.io);
}

void TopState::add(std::span<const uint32_t> kinds, const model::Sums& sums) {
  table_.add(kinds, sums);
  grow();
  // Of which files they were is not known.
  io_.add({.operations = sums.io, .slowest = {}, .files = {}});
}

void TopState::add_example(const model::Query& query) {
  const std::span<const uint32_t> kinds = table_.kinds().of(query);
  grow();
  for (const uint32_t kind : kinds) extra_[kind].details.add(query);
}

void TopState::keep_interval() {
  shown_.resize(extra_.size());
  last_.resize(extra_.size());
  for (uint32_t kind = 0; kind < extra_.size(); ++kind) last_[kind] = table_.interval(kind);
  last_of_all_ = table_.interval_of_all();
  last_io_ = std::exchange(io_, model::TableIo(kTables));
}

void TopState::end_interval(Look look) {
  keep_interval();
  for (uint32_t kind = 0; kind < extra_.size(); ++kind) {
    if (last_[kind].count == 0) continue;
    shown_[kind].details.merge(std::exchange(extra_[kind].details, {}));
    shown_[kind].history = extra_[kind].history;
  }
  table_.end_interval();
  io_of_run_.merge(last_io_);
  interval_ = {std::move(run_.end), look};
  run_.end = std::move(look);
}

void TopState::look_back(Look begin, Look end, std::vector<History> histories) {
  keep_interval();
  for (Extra& extra : extra_) extra.details = {};
  histories.resize(shown_.size());
  for (uint32_t kind = 0; kind < shown_.size(); ++kind) shown_[kind].history = histories[kind];
  table_.drop_interval();
  interval_ = {std::move(begin), std::move(end)};
}

const model::Sums& TopState::sums(uint32_t kind, Over over) const {
  return over == Over::Run ? table_.total(kind) : at(last_, kind);
}

const model::Sums& TopState::sums_of_all(Over over) const {
  return over == Over::Run ? table_.total_of_all() : last_of_all_;
}

uint64_t TopState::history_end() const { return interval_.end.time_ns / kSecond; }

bool TopState::is_alive(uint32_t kind, Over over) const {
  return sums(kind, over).count > 0 ||
         (over == Over::Interval && !shown_[kind].history.is_empty(history_end()));
}

uint64_t TopState::length_ns(Over over) const {
  return stretch(over).end.time_ns - stretch(over).begin.time_ns;
}

const model::TableIo& TopState::io(Over over) const {
  return over == Over::Run ? io_of_run_ : last_io_;
}

std::optional<model::WaitSums> TopState::waits(Over over) const {
  const auto& [begin, end] = stretch(over);
  if (!end.waits) return std::nullopt;
  model::WaitSums sums = *end.waits;
  if (begin.waits) sums.subtract(*begin.waits);
  return sums;
}

double TopState::at_work(Over over) const {
  const uint64_t length = length_ns(over);
  if (length == 0) return 0;
  const auto& [begin, end] = stretch(over);
  const auto sums = waits(over);
  const uint64_t spent = end.spent_ns ? *end.spent_ns - begin.spent_ns.value_or(0)
                         : sums       ? sums->total_ns()
                                      : sums_of_all(over).total_ns;
  return static_cast<double>(spent) / static_cast<double>(length);
}

}  // namespace dbtrace::commands::top
