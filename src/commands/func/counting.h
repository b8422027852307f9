// From the kernel's growing numbers to what is reported: of an interval, and of
// the whole run.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "src/attach/function_plan.h"
#include "src/attach/function_tracer.h"
#include "src/commands/func/report.h"

namespace dbtrace::commands {

// Both sorted as they are to be shown, the greatest first, without functions that
// were not called.
[[nodiscard]] std::vector<CallCount> call_counts(const attach::FunctionPlan& plan,
                                                 const std::vector<attach::FunctionNumbers>& now);
// Points into `now`.
[[nodiscard]] std::vector<CallCount> thread_counts(const attach::FunctionPlan& plan,
                                                   const std::vector<attach::ThreadCalls>& now);
[[nodiscard]] std::vector<Durations> durations(const attach::FunctionPlan& plan,
                                               const std::vector<attach::FunctionNumbers>& now,
                                               std::vector<model::Histogram> histograms);

// What has been added since the last call; at first, everything.
class Growth {
 public:
  [[nodiscard]] std::vector<attach::FunctionNumbers> of(std::vector<attach::FunctionNumbers> now);
  [[nodiscard]] std::vector<attach::ThreadCalls> of(std::vector<attach::ThreadCalls> now);
  [[nodiscard]] std::vector<model::Histogram> of(std::vector<model::Histogram> now);

 private:
  std::vector<attach::FunctionNumbers> numbers_;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint64_t> threads_;
  std::vector<model::Histogram> histograms_;
};

}  // namespace dbtrace::commands
