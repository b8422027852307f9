#include "src/commands/func/counting.h"

#include <algorithm>
#include <utility>

namespace dbtrace::commands {
namespace {

void sort(std::vector<CallCount>& rows) {
  std::ranges::stable_sort(rows, std::ranges::greater(), &CallCount::calls);
}

}  // namespace

std::vector<CallCount> call_counts(const attach::FunctionPlan& plan,
                                   const std::vector<attach::FunctionNumbers>& now) {
  std::vector<CallCount> rows;
  for (size_t i = 0; i < now.size(); ++i)
    if (now[i].calls > 0) rows.push_back({&plan.functions[i], now[i].calls, nullptr});
  sort(rows);
  return rows;
}

std::vector<CallCount> thread_counts(const attach::FunctionPlan& plan,
                                     const std::vector<attach::ThreadCalls>& now) {
  std::vector<CallCount> rows;
  for (const attach::ThreadCalls& thread : now)
    if (thread.calls > 0 && thread.function < plan.functions.size())
      rows.push_back({&plan.functions[thread.function], thread.calls, &thread});
  sort(rows);
  return rows;
}

std::vector<Durations> durations(const attach::FunctionPlan& plan,
                                 const std::vector<attach::FunctionNumbers>& now,
                                 std::vector<model::Histogram> histograms) {
  std::vector<Durations> rows;
  for (size_t i = 0; i < now.size(); ++i)
    if (now[i].calls > 0 || now[i].finished > 0)
      rows.push_back({&plan.functions[i], now[i], std::move(histograms[i])});
  std::ranges::stable_sort(rows, std::ranges::greater(),
                           [](const Durations& row) { return row.numbers.total_ns; });
  return rows;
}

std::vector<attach::FunctionNumbers> Growth::of(std::vector<attach::FunctionNumbers> now) {
  std::vector<attach::FunctionNumbers> grown = now;
  for (size_t i = 0; i < std::min(now.size(), numbers_.size()); ++i) {
    grown[i].calls -= numbers_[i].calls;
    grown[i].finished -= numbers_[i].finished;
    grown[i].total_ns -= numbers_[i].total_ns;
  }
  numbers_ = std::move(now);
  return grown;
}

std::vector<attach::ThreadCalls> Growth::of(std::vector<attach::ThreadCalls> now) {
  for (attach::ThreadCalls& thread : now) {
    uint64_t& before = threads_[{thread.function, thread.pid, thread.tid}];
    thread.calls -= std::exchange(before, thread.calls);
  }
  return now;
}

std::vector<model::Histogram> Growth::of(std::vector<model::Histogram> now) {
  std::vector<model::Histogram> grown = now;
  for (size_t i = 0; i < std::min(now.size(), histograms_.size()); ++i)
    grown[i].subtract(histograms_[i]);
  histograms_ = std::move(now);
  return grown;
}

}  // namespace dbtrace::commands
