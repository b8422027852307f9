#include "src/commands/tracing/shedding.h"

#include <utility>

namespace dbtrace::commands {

using attach::Feature;

Shedding::Shedding(std::optional<double> limit, std::vector<Feature> ladder)
    : limit_(limit.value_or(kWorthAWord)), sheds_(limit), ladder_(std::move(ladder)) {}

Shedding::Step Shedding::judge(const Cost& cost) {
  const bool over_before = std::exchange(over_, cost.of_servers() > limit_);
  if (!over_ || !over_before || warned_) return {};
  over_ = false;
  if (!sheds_) {
    warned_ = true;
    return {What::Warn};
  }
  if (given_up_ == ladder_.size()) return {What::End};
  return {What::Shed, ladder_[given_up_++]};
}

std::string_view feature_name(Feature feature) {
  switch (feature) {
    case Feature::Stacks:
      return "stacks";
    case Feature::Files:
      return "file operations";
    case Feature::Time:
      return "budgets and waits";
  }
  return "";
}

}  // namespace dbtrace::commands
