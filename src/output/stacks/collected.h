// Profiles kept until all are there, for formats that are one file. Private to this room.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "src/output/stacks/stack_sink.h"
#include "src/stacks/stack_tree.h"

namespace dbtrace::output {

struct CollectedSample {
  uint64_t time_ns;
  uint64_t ns;
  uint64_t count;
  model::Cause cause;
  uint32_t node;  // where its stack ends in the tree
};

struct CollectedProfile {
  std::string text;  // one line, safe to show; kNoText where there is none
  uint64_t queries;
  uint64_t duration_ns;
  model::Budget budget;
  stacks::StackTree tree;                // the heaviest first
  std::vector<CollectedSample> samples;  // by time
};

class CollectingSink : public StackSink {
 public:
  explicit CollectingSink(stacks::FrameTable& frames) : frames_(frames) {}

 protected:
  [[nodiscard]] const std::deque<CollectedProfile>& profiles() const { return profiles_; }

 private:
  void format(const ShownProfile& shown, std::string& out) override;

  stacks::FrameTable& frames_;
  std::deque<CollectedProfile> profiles_;
};

}  // namespace dbtrace::output
