// Queries with their heaviest stacks, for commands to which stacks are one detail of many.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "src/attach/stack_options.h"
#include "src/commands/tracing/attachments.h"
#include "src/commands/tracing/stack_watch.h"
#include "src/model/query.h"
#include "src/stream/decoder.h"
#include "src/target/server.h"
#include "symbols/result.h"

namespace dbtrace::commands {

// Not thread-safe.
class QueryStacks {
 public:
  enum class Keep { Heaviest, All };  // All: besides, in model::Query::samples
  // Without options nobody asks for stacks: queries stay as they are.
  QueryStacks(const std::optional<attach::StackOptions>& options,
              const std::vector<target::Server>& servers, Keep keep);

  // What Consumer::take_stack gets.
  void take(std::span<const std::byte> event);
  // Several times a second.
  [[nodiscard]] Result<void> tick(Attachments& attachments);
  // The query that `decoder` has just returned, or a copy that has its stacks, too: valid until
  // the next call.
  [[nodiscard]] const model::Query& with_stacks(const model::Query& query,
                                                const stream::Decoder& decoder);

 private:
  std::optional<StackWatch> watch_;  // none: not asked for, or given up
  Keep keep_;
  model::Query copy_;
};

}  // namespace dbtrace::commands
