#include "src/commands/tracing/loss_watch.h"

#include <fmt/format.h>

#include <utility>

#include "src/output/clock_text.h"
#include "src/output/counted.h"

namespace dbtrace::commands {

Result<LossWatch::Loss> LossWatch::tick(const Attachments& attachments) {
  if (!pace_.due()) return std::nullopt;
  return look(attachments);
}

Result<LossWatch::Loss> LossWatch::look(const Attachments& attachments) {
  return completed({}, attachments).map([this](const Tally& tally) -> Loss {
    const auto now = classes_of_lost(tally), then = classes_of_lost(std::exchange(before_, tally));
    output::Lost lost{.from_ns = since_ns_, .until_ns = nanoseconds_of(CLOCK_REALTIME)};
    since_ns_ = lost.until_ns;
    for (size_t i = 0; i < now.size(); ++i)
      if (now[i].count > then[i].count)
        lost.classes.emplace_back(now[i].name, now[i].count - then[i].count);
    return lost.classes.empty() ? Loss() : lost;
  });
}

std::string text_of(const output::Lost& lost) {
  output::ClockText clock(output::Zone::Local, "%H:%M:%S");
  const auto at = [&clock](uint64_t ns) {
    return std::string(clock.at(ns / output::kNanosecondsPerSecond));
  };
  return fmt::format("between {} and {}, {} lost: nothing is shown of them\n", at(lost.from_ns),
                     at(lost.until_ns),
                     output::counted(lost.count(), "command was", "commands were"));
}

}  // namespace dbtrace::commands
