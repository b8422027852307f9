#include "src/commands/tracing/spending_watch.h"

#include <utility>

namespace dbtrace::commands {
namespace {

template <typename State>
model::Spending difference(State now, const State& before) {
  now.sums.subtract(before.sums);
  return {.end_ns = nanoseconds_of(CLOCK_REALTIME),
          .length_ns = now.time_ns - before.time_ns,
          .queries = now.queries - before.queries,
          .sums = std::move(now.sums)};
}

}  // namespace

Result<SpendingWatch::State> SpendingWatch::look(const Attachments& attachments) {
  // As close to the sums' own moment as can be: it is at the begin of their reading.
  const uint64_t now = nanoseconds_of(CLOCK_MONOTONIC);
  const auto counters = attachments.counters();
  if (!counters) return tl::unexpected(counters.error());
  auto sums = attachments.wait_sums();
  if (!sums) return tl::unexpected(sums.error());
  return State{.time_ns = now, .queries = (*counters)[DBT_COUNT_SUMMED], .sums = std::move(*sums)};
}

Result<model::Spending> SpendingWatch::since_last(const Attachments& attachments) {
  return look(attachments).map([this](const State& now) {
    return difference(now, std::exchange(last_, now));
  });
}

Result<model::Spending> SpendingWatch::since_begin(const Attachments& attachments) {
  return look(attachments).map([this](const State& now) { return difference(now, begin_); });
}

}  // namespace dbtrace::commands
