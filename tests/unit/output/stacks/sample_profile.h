// A profile with a bit of everything, for tests to change.
#pragma once

#include <string>

#include "src/output/stacks/stack_sink.h"
#include "tests/unit/stacks/samples.h"

namespace dbtrace::output {

inline uint64_t& ns_of(model::StackProfile& profile, model::Cause cause) {
  return profile.budget.by_cause_ns[static_cast<size_t>(cause)];
}

// 100 ms: two functions on the core, of which one also reads a file.
inline model::StackProfile sample_profile(stacks::FrameTable& table) {
  using model::Cause;
  using stacks::sample;
  model::StackProfile profile;
  profile.text = "select 1";
  profile.duration_ns = 100'000'000;
  ns_of(profile, Cause::OnCpu) = 60'000'000;
  ns_of(profile, Cause::FileRead) = 39'000'000;
  profile.budget.unexplained_ns = 1'000'000;
  profile.samples = {
      sample(table, "main;execute;scan", 30'000'000),
      sample(table, "main;execute;scan;fetch;pread;read_[k];wait_[k]", 39'000'000, Cause::FileRead),
      sample(table, "main;execute;sort", 30'000'000),
  };
  profile.samples[1].time_ns = 30'000'000;
  profile.samples[2].time_ns = 70'000'000;
  return profile;
}

inline std::string written(const StackFormatOptions& options, stacks::FrameTable& table,
                           const std::vector<model::StackProfile>& profiles) {
  const auto sink = make_stack_sink(options, table);
  std::string out;
  for (const model::StackProfile& profile : profiles) sink->add(profile, out);
  sink->finish(out);
  return out;
}

inline std::string written(const StackFormatOptions& options, stacks::FrameTable& table,
                           const model::StackProfile& profile) {
  return written(options, table, std::vector{profile});
}

}  // namespace dbtrace::output
