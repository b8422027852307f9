#include "src/commands/tracing/cost_watch.h"

#include <fmt/format.h>

#include <utility>

#include "src/commands/wall_clock.h"
#include "src/output/clock_text.h"

namespace dbtrace::commands {
namespace {

using attach::Feature;

bool is_in_use(Feature feature, const attach::TracerOptions& options) {
  switch (feature) {
    case Feature::Stacks:
      return options.stacks.has_value();
    case Feature::Files:
      return options.file_hook != attach::FileHook::None;
    case Feature::Time:
      return options.budget || options.waits;
  }
  return false;
}

std::vector<Feature> ladder_of(std::vector<Feature> droppable,
                               const attach::TracerOptions& options) {
  std::erase_if(droppable, [&](Feature feature) { return !is_in_use(feature, options); });
  return droppable;
}

std::string in_words(const Cost& cost) {
  return fmt::format("tracing costs {} of {}", percent_text(cost.of_servers()),
                     cost.server_ns > cost.length_ns ? "what the server uses" : "a core");
}

std::string now() {
  output::ClockText clock(output::Zone::Local, "%H:%M:%S");
  return std::string(clock.at(nanoseconds_of(CLOCK_REALTIME) / output::kNanosecondsPerSecond));
}

}  // namespace

CostWatch::CostWatch(std::optional<double> limit, const std::vector<Feature>& droppable,
                     const attach::TracerOptions& tracer, bool all_the_time, Say say)
    : limit_(limit),
      cost_(all_the_time || limit),
      shedding_(limit, ladder_of(droppable, tracer)),
      say_(std::move(say)) {}

Result<void> CostWatch::prepare(attach::Mechanism mechanism) {
  cost_.prepare(mechanism);
  if (limit_ && !cost_.why_not().empty())
    return fail("--max-overhead cannot be kept: " + cost_.why_not(),
                "the kernel tells what its programs cost to who has CAP_SYS_ADMIN only");
  return {};
}

Result<bool> CostWatch::tick(Attachments& attachments) {
  const auto cost = cost_.tick(attachments);
  if (!cost) return tl::unexpected(cost.error());
  return *cost && act(shedding_.judge(**cost), **cost, attachments);
}

bool CostWatch::act(const Shedding::Step& step, const Cost& cost, Attachments& attachments) {
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
      attachments.shed(step.feature);
      missing_.push_back({now(), step.feature});
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
