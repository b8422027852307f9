#include "src/commands/tracing/query_stacks.h"

namespace dbtrace::commands {
namespace {

constexpr size_t kHeaviest = 3;

}  // namespace

QueryStacks::QueryStacks(const std::optional<attach::StackOptions>& options,
                         const std::vector<target::Server>& servers) {
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
  copy_.stacks = heaviest(watch_->of(query, decoder), watch_->frames(), kHeaviest);
  return copy_;
}

}  // namespace dbtrace::commands
