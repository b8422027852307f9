// A table of kinds, and the histograms of the first few.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "src/commands/histogram/report.h"
#include "src/output/budget_text.h"
#include "src/output/clock_text.h"
#include "src/output/counted.h"
#include "src/output/histogram_text.h"
#include "src/output/short_number.h"
#include "src/output/shown.h"
#include "src/output/text_line.h"

namespace dbtrace::commands {
namespace {

using kinds::Ranked;
using model::Cause;
using model::Sums;
using output::Align;
using output::Column;
using output::counted;
using output::rounded_duration;
using output::TextLine;

double part(uint64_t value, uint64_t of) {
  return of ? static_cast<double>(value) / static_cast<double>(of) : 0;
}

std::string percent(double part) { return fmt::format("{:.1f}%", 100 * part); }

std::string known_number(uint64_t value, uint64_t times_known) {
  return times_known ? output::short_number(value) : "-";
}

struct Cell {
  Column column;
  bool narrow;  // also on a terminal of 80 columns
  bool budget;  // only when there are budgets
  std::string (*text)(const Sums& sums, const Sums& all);
};

constexpr Column column(std::string_view title, size_t width) {
  return {title, width, Align::Right, false};
}

std::string duration_at(const Sums& sums, double fraction) {
  return rounded_duration(sums.quantile_ns(fraction));
}

std::string budget_part(const Sums& sums, uint64_t ns) {
  return sums.budgets ? percent(part(ns, sums.budgeted_ns())) : "-";
}

uint64_t io_ns(const Sums& sums) {
  return sums.ns(Cause::FileRead) + sums.ns(Cause::FileWrite) + sums.ns(Cause::Fsync);
}

constexpr Cell kCells[] = {
    {column("SHARE", 6), true, false,
     [](const Sums& sums, const Sums& all) { return percent(part(sums.total_ns, all.total_ns)); }},
    {column("TOTAL", 6), true, false,
     [](const Sums& sums, const Sums&) { return rounded_duration(sums.total_ns); }},
    {column("COUNT", 7), true, false,
     [](const Sums& sums, const Sums&) { return output::short_number(sums.count); }},
    {column("ERRORS", 6), false, false,
     [](const Sums& sums, const Sums&) { return output::short_number(sums.errors); }},
    {column("MEAN", 6), false, false,
     [](const Sums& sums, const Sums&) { return rounded_duration(sums.mean_ns()); }},
    {column("P50", 6), true, false,
     [](const Sums& sums, const Sums&) { return duration_at(sums, 0.5); }},
    {column("P95", 6), false, false,
     [](const Sums& sums, const Sums&) { return duration_at(sums, 0.95); }},
    {column("P99", 6), true, false,
     [](const Sums& sums, const Sums&) { return duration_at(sums, 0.99); }},
    {column("MAX", 6), true, false,
     [](const Sums& sums, const Sums&) { return rounded_duration(sums.max_ns); }},
    {column("ROWS", 6), false, false,
     [](const Sums& sums, const Sums&) {
       return known_number(sums.rows_sent, sums.rows_sent_known);
     }},
    {column("EXAMD", 6), false, false,
     [](const Sums& sums, const Sums&) {
       return known_number(sums.rows_examined, sums.rows_examined_known);
     }},
    {column("CPU", 6), false, true,
     [](const Sums& sums, const Sums&) { return budget_part(sums, sums.ns(Cause::OnCpu)); }},
    {column("I/O", 6), false, true,
     [](const Sums& sums, const Sums&) { return budget_part(sums, io_ns(sums)); }},
    {column("LOCK", 6), false, true,
     [](const Sums& sums, const Sums&) { return budget_part(sums, sums.budget().lock_ns()); }},
};

constexpr size_t kWideEnough = 120;
constexpr size_t kBarCells = 10;
constexpr Column kBar{"BUDGET", kBarCells, Align::Left, false};

class Text final : public HistogramWriter {
 public:
  explicit Text(const HistogramTextOptions& options)
      : options_(options), line_(options.width, options.color) {}

  void add(const KindReport& report, std::string& out) override {
    if (!std::exchange(first_, false)) out += '\n';
    heading(report, out);
    losses(report, out);
    if (report.ranked.empty()) return;
    std::span<const Ranked> shown = report.ranked;
    if (options_.top) shown = shown.first(std::min(options_.top, shown.size()));
    const bool budget = report.all.budgets > 0;
    headings(budget, out);
    for (const Ranked& each : shown) row(report, each, budget, out);
    rest(report, std::span(report.ranked).subspan(shown.size()), out);
    const size_t draw = report.span.total ? options_.draw_total : options_.draw_intervals;
    for (const Ranked& each : shown.first(std::min(draw, shown.size())))
      histogram(report, each, out);
  }

 private:
  void heading(const KindReport& report, std::string& out) {
    const double seconds = static_cast<double>(report.span.length_ns) / 1e9;
    out +=
        report.span.total ? "total" : clock_.at(report.span.end_ns / output::kNanosecondsPerSecond);
    out += fmt::format(
        " ({})  {} of {}, {:.0f}/s; {:.2f} at work on average\n",
        rounded_duration(report.span.length_ns), counted(report.all.count, "query", "queries"),
        counted(report.ranked.size(), "kind"), static_cast<double>(report.all.count) / seconds,
        static_cast<double>(report.all.total_ns) / 1e9 / seconds);
  }

  // With what they mean for the numbers below.
  static void losses(const KindReport& report, std::string& out) {
    const HistogramLosses& losses = report.losses;
    if (losses.lost) {
      const double lost = part(losses.lost, losses.lost + report.all.count);
      // All the lost ones may have been slower than the rest, or faster.
      const double shown_p99 = 99 * (1 - lost);
      out += fmt::format(
          "  lost: {} ({} % of all): neither their kinds nor their times are known. "
          "Counts and\n  totals are that much too low; what is shown as p99 is something from "
          "p{:.2f} to p{:.2f} of all\n",
          counted(losses.lost, "command"), output::short_percentage(100 * lost), shown_p99,
          shown_p99 + 100 * lost);
    }
    if (losses.without_text)
      out += fmt::format("  {} counted without text\n", counted(losses.without_text, "command"));
    if (losses.without_budget)
      out += fmt::format("  lost {}, whole or in part: shares are of the others\n",
                         counted(losses.without_budget, "budget"));
    // Not measured any more (--max-overhead), besides what was lost.
    if (report.all.budgets > 0 && report.all.budgets + losses.without_budget < report.all.count)
      out += fmt::format("  shares are of {} of {} only\n", report.all.budgets,
                         counted(report.all.count, "query", "queries"));
  }

  template <typename Take>
  void each_cell(bool budget, const Take& take) const {
    const bool wide = options_.width == 0 || options_.width >= kWideEnough;
    for (const Cell& cell : kCells)
      if ((wide || cell.narrow) && (!cell.budget || budget)) take(cell);
  }

  void headings(bool budget, std::string& out) {
    line_.start();
    each_cell(budget, [&](const Cell& cell) {
      line_.cell(cell.column, cell.column.title, output::kDim, out);
    });
    if (budget) line_.cell(kBar, kBar.title, output::kDim, out);
    line_.piece("KIND", output::kDim, out);
    out += '\n';
  }

  void row(const KindReport& report, const Ranked& ranked, bool budget, std::string& out) {
    line_.start();
    const Sums& sums = *ranked.sums;
    each_cell(budget, [&](const Cell& cell) {
      const std::string text = cell.text(sums, report.all);
      const bool failed = cell.column.title == "ERRORS" && sums.errors > 0;
      line_.cell(cell.column, text,
                 failed                       ? output::kRed
                 : text == "0" || text == "-" ? output::kDim
                                              : output::kNoColor,
                 out);
    });
    if (budget) {
      line_.separate(out);
      const size_t begin = line_.room();
      output::append_bar(sums.budget(), kBarCells, line_, out);
      line_.pad(kBarCells - (begin - line_.room()), out);
    }
    line_.piece(report.kinds[ranked.kind].text,
                ranked.kind == kinds::Kinds::kOther ? output::kYellow : output::kNoColor, out);
    out += '\n';
  }

  static void rest(const KindReport& report, std::span<const Ranked> left_out, std::string& out) {
    if (!left_out.empty()) {
      uint64_t total_ns = 0;
      for (const Ranked& each : left_out) total_ns += each.sums->total_ns;
      out += fmt::format("  and {} with {} of the time; --top shows more\n",
                         counted(left_out.size(), "more kind"),
                         percent(part(total_ns, report.all.total_ns)));
    }
    if (report.kinds.size() > report.kinds.options().max_kinds)
      out += fmt::format("  as many kinds as --max-kinds {} allows: what else comes is (other)\n",
                         report.kinds.options().max_kinds);
  }

  void histogram(const KindReport& report, const Ranked& ranked, std::string& out) {
    const kinds::Kind& kind = report.kinds[ranked.kind];
    out += '\n';
    line_.start();
    line_.piece(kind.id, output::kDim, out);
    line_.piece(kind.text, output::kNoColor, out);
    out += '\n';
    output::append_histogram(ranked.sums->durations, out, {.width = options_.width});
    if (!ranked.sums->slowest) return;
    const model::Example& example = *ranked.sums->slowest;
    const output::ShownText text = output::shown_text(example.text, example.text_length, redacted_);
    line_.start();
    line_.piece(fmt::format("  slowest: {} at {}", rounded_duration(example.duration_ns),
                            clock_.at(example.start_ns / output::kNanosecondsPerSecond)),
                output::kDim, out);
    if (example.connection_id)
      line_.piece(fmt::format("by connection {}:", *example.connection_id), output::kDim, out);
    line_.piece(text.visible, output::kNoColor, out);
    if (text.missing_bytes) line_.append(output::kEllipsis, output::kNoColor, out);
    out += '\n';
  }

  HistogramTextOptions options_;
  TextLine line_;
  bool first_ = true;
  output::ClockText clock_{output::Zone::Local, "%H:%M:%S"};
  std::string redacted_;
};

}  // namespace

std::unique_ptr<HistogramWriter> histogram_text(const HistogramTextOptions& options) {
  return std::make_unique<Text>(options);
}

}  // namespace dbtrace::commands
