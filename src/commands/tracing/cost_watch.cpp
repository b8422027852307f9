#include "src/commands/tracing/cost_watch.h"

#include <fmt/format.h>

#include <utility>

#include "src/commands/wall_clock.h"

namespace dbtrace::commands {
namespace {

using attach::Feature;

std::string in_words(const Cost& cost) {
  return fmt::format("tracing costs {} of {}", percent_text(cost.of_servers()),
                     cost.server_ns > cost.length_ns ? "what the server uses" : "a core");
}

}  // namespace

CostWatch::CostWatch(std::optional<double> limit, std::vector<Feature> ladder, bool all_the_time,
                     Say say)
    : limit_(limit),
      cost_(all_the_time || limit),
      shedding_(limit, std::move(ladder)),
      say_(std::move(say)) {}

Result<void> CostWatch::prepare(attach::Mechanism mechanism) {
  cost_.prepare(mechanism);
  if (limit_ && !cost_.why_not().empty())
    return fail("--max-overhead cannot be kept: " + cost_.why_not(),
                "the kernel tells what its programs cost to who has CAP_SYS_ADMIN only");
  return {};
}

Result<bool> CostWatch::tick(Traced& traced) {
  const auto cost = cost_.tick(traced);
  if (!cost) return tl::unexpected(cost.error());
  return *cost && act(shedding_.judge(**cost), **cost, traced);
}

bool CostWatch::act(const Shedding::Step& step, const Cost& cost, Traced& traced) {
  const std::string limit =
      limit_ ? fmt::format("{}, more than --max-overhead {:g}%", in_words(cost), 100 * *limit_)
             : in_words(cost);
  switch (step.what) {
    case Shedding::What::Nothing:
      break;
    case Shedding::What::Warn:
      say_(limit + "; --max-overhead PERCENT sets a limit\n");
      break;
    case Shedding::What::Shed:
      traced.shed(step.feature);
      missing_.push_back({local_time(), step.feature});
      say_(fmt::format("{}: no {} from {} on\n", limit, feature_name(step.feature),
                       missing_.back().since));
      break;
    case Shedding::What::End:
      say_(limit + ": it ends, as nothing is left to give up\n");
      gave_up_ = true;
      break;
  }
  return gave_up_;
}

std::string CostWatch::account() const {
  std::string text = "cost: " + cost_.text() + "\n";
  for (const Missing& each : missing_)
    text += fmt::format("not measured since {}: {} (--max-overhead)\n", each.since,
                        feature_name(each.feature));
  return text;
}

}  // namespace dbtrace::commands
