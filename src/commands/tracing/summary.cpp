#include "src/commands/tracing/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "src/output/counted.h"
#include "src/output/short_number.h"

namespace dbtrace::commands {
namespace {

std::string lines(std::string_view heading, std::span<const LossClass> classes) {
  std::string text;
  for (const LossClass& item : classes)
    if (item.count) text += fmt::format("  {} {}{}\n", item.count, item.name, item.advice);
  return text.empty() ? text : fmt::format("{}\n{}", heading, text);
}

// `effect`: what that means for what is shown.
std::string lost_lines(const Tally& tally, std::string_view effect) {
  const uint64_t all = seen(tally) + tally.kernel[DBT_COUNT_STATEMENTS];
  const auto percent =
      static_cast<double>(lost(tally)) * 100 / static_cast<double>(std::max<uint64_t>(all, 1));
  return lines(fmt::format("lost, {} % of all: {}", output::short_percentage(percent), effect),
               classes_of_lost(tally));
}

}  // namespace

Result<Tally> completed(Tally tally, const Attachments& attachments) {
  const auto counters = attachments.counters();
  if (!counters) return tl::unexpected(counters.error());
  tally.kernel = *counters;
  tally.malformed = attachments.malformed();
  return tally;
}

uint64_t lost(const Tally& tally) {
  uint64_t all = 0;
  for (const LossClass& each : classes_of_lost(tally)) all += each.count;
  return all;
}

uint64_t seen(const Tally& tally) {
  const attach::Counters& kernel = tally.kernel;
  return kernel[DBT_COUNT_FINISHED] + kernel[DBT_COUNT_LOST_NO_STATE] +
         kernel[DBT_COUNT_LOST_ORPHAN];
}

uint64_t filtered(const Tally& tally) {
  return tally.kernel[DBT_COUNT_FAST] + tally.kernel[DBT_COUNT_OTHER_CONNECTION] + tally.filtered;
}

std::array<LossClass, 6> classes_of_lost(const Tally& tally) {
  const attach::Counters& kernel = tally.kernel;
  return {{
      {kernel[DBT_COUNT_LOST_RING_FULL], "ring full",
       ": the buffer overflowed; a larger --buffer helps"},
      {kernel[DBT_COUNT_LOST_NO_STATE], "map full",
       ": no memory for a command's state in the kernel"},
      {kernel[DBT_COUNT_LOST_TOO_DEEP], "nested too deeply",
       ": statements inside more than 31 others"},
      {kernel[DBT_COUNT_LOST_ORPHAN], "orphaned",
       ": a begin without its end, or an end without its begin"},
      {tally.dropped, "not written",
       ": they came faster than the file could be written, or somebody was reading it"},
      {tally.malformed, "malformed", ": events that could not be decoded; please report this"},
  }};
}

std::array<LossClass, 6> classes_of_incomplete(const Tally& tally) {
  const attach::Counters& kernel = tally.kernel;
  return {{
      {kernel[DBT_COUNT_BUDGETS_LOST], "without budget or blocker", ": the buffer overflowed"},
      {kernel[DBT_COUNT_OPERATIONS_MISSED], "file operations not counted",
       ": the kernel did not say when they ended; --file-io syscalls misses none"},
      {kernel[DBT_COUNT_UNREADABLE_TEXT], "read failed", ": shown without their text"},
      {kernel[DBT_COUNT_STACKS_LOST], "stacks lost", ": their buffer overflowed"},
      {kernel[DBT_COUNT_STACKS_LIMITED], "stacks not taken",
       ": too many in one second; --stacks-per-second allows more"},
      {kernel[DBT_COUNT_TAIL_LOST], "cut short", ": too many long texts at once"},
  }};
}

std::string losses(const attach::Counters& kernel) {
  Tally tally;
  tally.kernel = kernel;
  return lost_lines(tally, "their time may be in no sum");
}

std::string summary(const Tally& tally) {
  const attach::Counters& kernel = tally.kernel;
  const uint64_t ended = seen(tally);

  std::string text = output::counted(ended, "command");
  if (kernel[DBT_COUNT_STATEMENTS])
    text +=
        fmt::format(" and {} in them", output::counted(kernel[DBT_COUNT_STATEMENTS], "statement"));
  text += fmt::format(" seen: {} {}, {} filtered, {} of kinds not asked for, {} lost", tally.shown,
                      tally.shown_as, filtered(tally), kernel[DBT_COUNT_HIDDEN], lost(tally));
  if (tally.surplus) text += fmt::format(", {} after the end", tally.surplus);
  if (kernel[DBT_COUNT_STARTED] > ended)
    text += fmt::format("; {} still running", kernel[DBT_COUNT_STARTED] - ended);
  if (tally.reported) text += fmt::format("; {} reported while running", tally.reported);
  text += "\n";

  text += lost_lines(tally, "nothing else is known of them");
  text += lines("incomplete:", classes_of_incomplete(tally));
  return text;
}

}  // namespace dbtrace::commands
