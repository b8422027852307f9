#include "src/commands/stacks/profiles.h"

#include <algorithm>

namespace dbtrace::commands {
namespace {

void add_to(model::Budget& sum, const model::Budget& budget) {
  for (size_t i = 0; i < sum.by_cause_ns.size(); ++i) sum.by_cause_ns[i] += budget.by_cause_ns[i];
  sum.unexplained_ns += budget.unexplained_ns;
  sum.voluntary_switches += budget.voluntary_switches;
  sum.involuntary_switches += budget.involuntary_switches;
}

}  // namespace

model::StackProfile profile_of(const model::Query& query, std::vector<model::Sample> samples) {
  return {.text = query.text,
          .queries = 1,
          .duration_ns = query.duration_ns,
          .budget = query.budget.value_or(model::Budget{}),
          .samples = std::move(samples),
          .query = query};
}

void KindProfiles::add(const model::Query& query, const std::vector<model::Sample>& samples) {
  for (const uint32_t kind : kinds_.of(query)) {
    auto [found, is_new] = profiles_.try_emplace(kind);
    auto& [profile, stacks] = found->second;
    if (is_new) {
      profile.text = kinds_[kind].text;  // and no query: it is about several
      profile.queries = 0;
    }
    ++profile.queries;
    profile.duration_ns += query.duration_ns;
    if (query.budget) add_to(profile.budget, *query.budget);
    for (const model::Sample& sample : samples) {
      const auto [place, is_new_stack] =
          stacks.try_emplace({sample.cause, sample.frames}, profile.samples.size());
      if (is_new_stack) {
        profile.samples.push_back(sample);
      } else {
        profile.samples[place->second].ns += sample.ns;
        profile.samples[place->second].count += sample.count;
      }
    }
  }
}

std::vector<model::StackProfile> KindProfiles::take() {
  std::vector<model::StackProfile> profiles;
  for (auto& [kind, of_kind] : profiles_) profiles.push_back(std::move(of_kind.profile));
  profiles_.clear();
  std::ranges::stable_sort(profiles, std::greater(), &model::StackProfile::duration_ns);
  return profiles;
}

void SlowestProfiles::add(model::StackProfile profile) {
  by_duration_.emplace(profile.duration_ns, std::move(profile));
  if (by_duration_.size() <= most_) return;
  by_duration_.erase(by_duration_.begin());
  ++left_out_;
}

std::vector<model::StackProfile> SlowestProfiles::take() {
  std::vector<model::StackProfile> profiles;
  for (auto& [duration, profile] : by_duration_) profiles.push_back(std::move(profile));
  by_duration_.clear();
  std::ranges::reverse(profiles);
  return profiles;
}

}  // namespace dbtrace::commands
