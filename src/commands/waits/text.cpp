// A table of causes, the heaviest first, and their histograms.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "src/commands/waits/report.h"
#include "src/output/cause_names.h"
#include "src/output/clock_text.h"
#include "src/output/counted.h"
#include "src/output/histogram_text.h"
#include "src/output/text_line.h"

namespace dbtrace::commands {
namespace {

using model::Cause;
using output::padded;
using output::rounded_duration;

constexpr size_t kBar = 24;
constexpr size_t kAroundBar = 73;  // columns of all others

std::vector<Cause> heaviest_first(const model::WaitSums& sums) {
  std::vector<Cause> causes;
  for (size_t i = 0; i < model::kCauses; ++i)
    if (sums.ns[i] || sums.now[i] || sums.lengths[i].count())
      causes.push_back(static_cast<Cause>(i));
  std::ranges::stable_sort(causes, std::greater(),
                           [&](Cause cause) { return sums.ns[static_cast<size_t>(cause)]; });
  return causes;
}

class Text final : public WaitsReport {
 public:
  Text(bool histograms, bool color) : histograms_(histograms), color_(color) {}

  void set_width(size_t columns) override {
    width_ = columns;
    const size_t room = columns > kAroundBar ? columns - kAroundBar : 0;
    bar_ = columns == 0 ? kBar : std::min(kBar, room);
  }

  void add(const WaitsInterval& interval, std::string& out) override {
    if (!std::exchange(first_, false)) out += '\n';
    heading(interval, out);
    const std::vector<Cause> causes = heaviest_first(interval.sums);
    if (causes.empty()) return;
    out += fmt::format("  {:<14}{:>8}{:>7}  {:<{}}{:>10}{:>8}{:>8}{:>8}{:>5}\n", "CAUSE", "TIME",
                       "SHARE", "", bar_ + 1, "WAITS", "P50", "P99", "MAX",
                       interval.total ? "" : "NOW");
    end_row(out);
    for (const Cause cause : causes) row(interval, cause, out);
    event_table(interval, out);
    if (!interval.total && !histograms_) return;
    for (const Cause cause : causes) {
      const model::Histogram& lengths = interval.sums.lengths[static_cast<size_t>(cause)];
      if (lengths.count() == 0) continue;
      out += fmt::format("\n  {}\n", output::name_of(cause).label);
      output::append_histogram(lengths, out, {.width = width_});
    }
  }

 private:
  void heading(const WaitsInterval& interval, std::string& out) {
    const double seconds = static_cast<double>(interval.length_ns) / 1e9;
    const auto busy = static_cast<double>(interval.sums.total_ns()) / 1e9;
    out += interval.total ? "total" : clock_.at(interval.end_ns / output::kNanosecondsPerSecond);
    out += fmt::format(" ({})  {}, {:.0f}/s; {:.2f} at work on average\n",
                       rounded_duration(interval.length_ns),
                       output::counted(interval.queries, "query", "queries"),
                       static_cast<double>(interval.queries) / seconds, busy / seconds);
  }

  void row(const WaitsInterval& interval, Cause cause, std::string& out) const {
    const auto at = static_cast<size_t>(cause);
    const output::CauseName& name = output::name_of(cause);
    const uint64_t ns = interval.sums.ns[at], total = interval.sums.total_ns();
    const double share = share_of(ns, total);
    const auto cells = static_cast<size_t>(share * static_cast<double>(bar_) + 0.5);
    const model::Histogram& lengths = interval.sums.lengths[at];
    out += fmt::format("  {:<14}{}{:>6.1f}%  ", name.label, padded(rounded_duration(ns), 8),
                       100 * share);
    if (color_) out += name.color;
    out.append(cells, name.letter);
    if (color_) out += output::kReset;
    out.append(bar_ - cells + 1, ' ');
    if (lengths.count())
      out += fmt::format("{:>10}{}{}{}", lengths.count(),
                         padded(rounded_duration(lengths.quantile(0.5)), 8),
                         padded(rounded_duration(lengths.quantile(0.99)), 8),
                         padded(rounded_duration(lengths.at_most()), 8));
    else
      out += fmt::format("{:>10}{:>8}{:>8}{:>8}", "", "", "", "");
    if (interval.sums.now[at]) out += fmt::format("{:>5}", interval.sums.now[at]);
    end_row(out);
  }

  // Only of servers that say what they wait for.
  static void event_table(const WaitsInterval& interval, std::string& out) {
    const auto events = interval.sums.events_by_time();
    if (events.empty()) return;
    out += fmt::format("\n  {:<38}{:>8}{:>7}{:>10}{:>5}", "WAIT EVENT", "TIME", "SHARE", "WAITS",
                       interval.total ? "" : "NOW");
    end_row(out);
    for (const auto& [event, sums] : events) {
      out += fmt::format("  {:<38}{}{:>6.1f}%{:>10}", event.type + ':' + event.event,
                         padded(rounded_duration(sums.ns), 8),
                         100 * share_of(sums.ns, interval.sums.total_ns()), sums.waits);
      if (sums.now) out += fmt::format("{:>5}", sums.now);
      end_row(out);
    }
  }

  static double share_of(uint64_t ns, uint64_t total) {
    // A recording may say anything.
    return total ? std::min(1.0, static_cast<double>(ns) / static_cast<double>(total)) : 0;
  }

  static void end_row(std::string& out) {
    out.erase(out.find_last_not_of(" \n") + 1);
    out += '\n';
  }

  bool histograms_;
  bool color_;
  size_t width_ = 0;
  size_t bar_ = kBar;
  bool first_ = true;
  output::ClockText clock_{output::Zone::Local, "%H:%M:%S"};
};

}  // namespace

std::unique_ptr<WaitsReport> waits_text(bool histograms, bool color) {
  return std::make_unique<Text>(histograms, color);
}

}  // namespace dbtrace::commands
