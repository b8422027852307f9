// Stack profiles, until they are shown: one of each query or one of each kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/kinds/kinds.h"
#include "src/model/query.h"
#include "src/model/stack_profile.h"

namespace dbtrace::commands {

// The profile of one query, whose stacks were `samples`.
[[nodiscard]] model::StackProfile profile_of(const model::Query& query,
                                             std::vector<model::Sample> samples);

// Of the queries of each kind together. Memory is bounded by the number of kinds and of
// stacks that differ. Not thread-safe.
class KindProfiles {
 public:
  explicit KindProfiles(const kinds::KindOptions& options) : kinds_(options) {}

  void add(const model::Query& query, const std::vector<model::Sample>& samples);
  // Those that took the most time first.
  [[nodiscard]] std::vector<model::StackProfile> take();

 private:
  using StackKey = std::pair<model::Cause, std::vector<model::FrameId>>;
  struct OfKind {
    model::StackProfile profile;
    std::map<StackKey, size_t> stacks;  // in profile.samples
  };

  kinds::Kinds kinds_;
  std::unordered_map<uint32_t, OfKind> profiles_;
};

// Those that took the longest of what was added. Not thread-safe.
class SlowestProfiles {
 public:
  explicit SlowestProfiles(size_t most) : most_(most) {}

  void add(model::StackProfile profile);
  // The slowest first.
  [[nodiscard]] std::vector<model::StackProfile> take();
  // How many were not kept.
  [[nodiscard]] uint64_t left_out() const { return left_out_; }

 private:
  size_t most_;
  std::multimap<uint64_t, model::StackProfile> by_duration_;
  uint64_t left_out_ = 0;
};

}  // namespace dbtrace::commands
