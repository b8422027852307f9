// Where all query time goes, by cause.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "src/commands/top/figures.h"
#include "src/commands/top/pages.h"
#include "src/output/cause_names.h"
#include "src/output/histogram_text.h"

namespace dbtrace::commands::top {
namespace {

using model::Cause;
using model::WaitSums;
using output::Align;
using output::Column;
using output::rounded_duration;

constexpr Column kCause{"CAUSE", 13, Align::Left, true};
constexpr Column kTime{"TIME", 6, Align::Right, false};
constexpr Column kShare{"SHARE", 5, Align::Right, false};
constexpr Column kBar{"", 20, Align::Left, true};
constexpr Column kWaits{"WAITS", 6, Align::Right, false};
constexpr Column kP50{"P50", 6, Align::Right, false};
constexpr Column kP99{"P99", 6, Align::Right, false};
constexpr Column kMax{"MAX", 6, Align::Right, false};
constexpr Column kEvent{"", 36, Align::Left, true};
constexpr Column kNow{"NOW", 4, Align::Right, false};

void row(const WaitSums& sums, Cause cause, Paper& paper) {
  const auto at = static_cast<size_t>(cause);
  const output::CauseName& name = output::name_of(cause);
  const uint64_t total = sums.total_ns();
  const size_t cells =
      total ? static_cast<size_t>(static_cast<double>(sums.ns[at]) *
                                      static_cast<double>(kBar.width) / static_cast<double>(total) +
                                  0.5)
            : 0;
  paper.cell(kCause, name.label).cell(kTime, rounded_duration(sums.ns[at]));
  paper.cell(kShare, share_text(sums.ns[at], total));
  paper.cell(kBar, std::string(cells, name.letter), name.color);
  const model::Histogram& lengths = sums.lengths[at];
  if (lengths.count()) {
    paper.cell(kWaits, count_text(lengths.count()));
    paper.cell(kP50, rounded_duration(lengths.quantile(0.5)));
    paper.cell(kP99, rounded_duration(lengths.quantile(0.99)));
    paper.cell(kMax, rounded_duration(lengths.at_most()));
  } else {
    for (const Column* column : {&kWaits, &kP50, &kP99, &kMax}) paper.cell(*column, "");
  }
  paper.cell(kNow, sums.now[at] ? count_text(sums.now[at]) : std::string());
  paper.end();
}

// Only of servers that say what they wait for.
void draw_events(const WaitSums& sums, Paper& paper) {
  const auto events = sums.events_by_time();
  if (events.empty()) return;
  paper.title("Wait events");
  for (const auto& [event, of_event] : events) {
    paper.cell(kEvent, event.type + ':' + event.event);
    paper.cell(kTime, rounded_duration(of_event.ns));
    paper.cell(kShare, share_text(of_event.ns, sums.total_ns()));
    paper.cell(kWaits, count_text(of_event.waits));
    paper.cell(kNow, of_event.now ? count_text(of_event.now) : std::string());
    paper.end();
  }
}

}  // namespace

void draw_waits(const TopState& state, Over over, Paper& paper) {
  for (const Column* column :
       {&kCause, &kTime, &kShare, &kBar, &kWaits, &kP50, &kP99, &kMax, &kNow})
    paper.cell(*column, column->title, output::kDim);
  paper.end();
  const std::optional<WaitSums> sums = state.waits(over);
  if (!sums) return paper.say("Not measured: see --no-budget and --max-overhead.");
  std::vector<Cause> causes;
  for (size_t i = 0; i < model::kCauses; ++i)
    if (sums->ns[i] || sums->now[i] || sums->lengths[i].count())
      causes.push_back(static_cast<Cause>(i));
  std::ranges::stable_sort(causes, std::greater(),
                           [&](Cause cause) { return sums->ns[static_cast<size_t>(cause)]; });
  for (const Cause cause : causes) row(*sums, cause, paper);
  draw_events(*sums, paper);
}

}  // namespace dbtrace::commands::top
