#include "src/commands/tracing/query_stacks.h"

#include <memory>
#include <utility>

#include "src/stacks/sampled.h"

namespace dbtrace::commands {
namespace {

constexpr size_t kHeaviest = 3;

}  // namespace

QueryStacks::QueryStacks(const std::optional<attach::StackOptions>& options,
                         const std::vector<target::Server>& servers, Keep keep)
    : keep_(keep) {
  if (!options) return;
  watch_.emplace(*options, false);
  watch_->get_ready(servers);
}

void QueryStacks::take(std::span<const std::byte> event) {
  if (watch_) watch_->take(event);
}

Result<void> QueryStacks::tick(Attachments& attachments) {
  if (attachments.has_shed(attach::Feature::Stacks)) watch_.reset();
  return watch_ ? watch_->tick(attachments) : Result<void>{};
}

const model::Query& QueryStacks::with_stacks(const model::Query& query,
                                             const stream::Decoder& decoder) {
  if (!watch_) return query;
  copy_ = query;
  std::vector<model::Sample> samples = watch_->of(query, decoder);
  copy_.stacks = heaviest(samples, watch_->frames(), kHeaviest);
  if (keep_ == Keep::All)
    copy_.samples = std::make_shared<const model::SampledStacks>(
        stacks::by_themselves(std::move(samples), watch_->frames()));
  return copy_;
}

}  // namespace dbtrace::commands
