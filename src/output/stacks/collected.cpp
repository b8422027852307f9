#include "src/output/stacks/collected.h"

#include <algorithm>
#include <utility>

#include "src/output/escape.h"
#include "src/output/stacks/names.h"

namespace dbtrace::output {

void CollectingSink::format(const ShownProfile& shown, std::string& out) {
  (void)out;
  const model::StackProfile& profile = shown.profile;
  CollectedProfile kept{.text = {},
                        .queries = profile.queries,
                        .duration_ns = profile.duration_ns,
                        .budget = profile.budget,
                        .tree = stacks::StackTree(frames_),
                        .samples = {}};
  append_visible(kept.text, shown.text.visible.empty() ? kNoText : shown.text.visible);
  kept.samples.reserve(profile.samples.size());
  for (const model::Sample& sample : profile.samples)
    kept.samples.push_back(
        {sample.time_ns, sample.ns, sample.count, sample.cause, kept.tree.add(sample)});
  std::ranges::stable_sort(kept.samples, {}, &CollectedSample::time_ns);
  kept.tree.sort();
  profiles_.push_back(std::move(kept));
}

}  // namespace dbtrace::output
