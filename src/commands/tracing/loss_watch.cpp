#include "src/commands/tracing/loss_watch.h"

#include <fmt/format.h>

#include <utility>

#include "src/commands/tracing/summary.h"
#include "src/output/counted.h"

namespace dbtrace::commands {

Result<std::string> LossWatch::tick(const Attachments& attachments) {
  if (!pace_.due()) return "";
  return completed({}, attachments).map([this](const Tally& tally) -> std::string {
    const uint64_t all = lost(tally);
    const uint64_t more = all - std::exchange(before_, all);
    const std::string now = local_time();
    const std::string since = std::exchange(since_, now);
    if (!more) return "";
    return fmt::format("between {} and {}, {} lost: nothing is shown of them\n", since, now,
                       output::counted(more, "command was", "commands were"));
  });
}

}  // namespace dbtrace::commands
