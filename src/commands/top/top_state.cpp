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
    : table_(options), begin_(begin), before_(begin), now_(begin) {}

void TopState::add(const model::Query& query, uint64_t now_ns) {
  table_.add(query);
  if (extra_.size() < table_.kinds().size()) extra_.resize(table_.kinds().size());
  for (const uint32_t kind : table_.kinds().of(query)) {
    extra_[kind].details.add(query);
    extra_[kind].history.add(now_ns / kSecond, query.duration_ns);
  }
  if (query.io) io_.add(*query.io);
}

void TopState::end_interval(Look look) {
  shown_.resize(extra_.size());
  last_.resize(extra_.size());
  for (uint32_t kind = 0; kind < extra_.size(); ++kind) {
    last_[kind] = table_.interval(kind);
    if (last_[kind].count == 0) continue;
    shown_[kind].details.merge(std::exchange(extra_[kind].details, {}));
    shown_[kind].history = extra_[kind].history;
  }
  last_of_all_ = table_.interval_of_all();
  table_.end_interval();

  last_io_ = std::exchange(io_, model::TableIo(kTables));
  io_of_run_.merge(last_io_);
  before_ = std::exchange(now_, std::move(look));
}

const model::Sums& TopState::sums(uint32_t kind, Over over) const {
  return over == Over::Run ? table_.total(kind) : at(last_, kind);
}

const model::Sums& TopState::sums_of_all(Over over) const {
  return over == Over::Run ? table_.total_of_all() : last_of_all_;
}

uint64_t TopState::history_end() const { return now_.time_ns / kSecond; }

bool TopState::is_alive(uint32_t kind, Over over) const {
  return sums(kind, over).count > 0 ||
         (over == Over::Interval && !shown_[kind].history.is_empty(history_end()));
}

uint64_t TopState::length_ns(Over over) const {
  return now_.time_ns - (over == Over::Run ? begin_ : before_).time_ns;
}

const model::TableIo& TopState::io(Over over) const {
  return over == Over::Run ? io_of_run_ : last_io_;
}

std::optional<model::WaitSums> TopState::waits(Over over) const {
  if (!now_.waits) return std::nullopt;
  model::WaitSums sums = *now_.waits;
  const std::optional<model::WaitSums>& since = (over == Over::Run ? begin_ : before_).waits;
  if (since) sums.subtract(*since);
  return sums;
}

double TopState::at_work(Over over) const {
  const uint64_t length = length_ns(over);
  if (length == 0) return 0;
  const auto sums = waits(over);
  const uint64_t spent = sums ? sums->total_ns() : sums_of_all(over).total_ns;
  return static_cast<double>(spent) / static_cast<double>(length);
}

}  // namespace dbtrace::commands::top
