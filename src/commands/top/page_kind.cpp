// Everything about one kind of query.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/commands/top/bar.h"
#include "src/commands/top/figures.h"
#include "src/commands/top/pages.h"
#include "src/output/budget_text.h"
#include "src/output/cause_names.h"
#include "src/output/clock_text.h"
#include "src/output/counted.h"
#include "src/output/duration.h"
#include "src/output/histogram_text.h"
#include "src/output/shown.h"

namespace dbtrace::commands::top {
namespace {

using model::Sums;
using output::Align;
using output::Column;
using output::rounded_duration;

constexpr size_t kLinesOfText = 3;
constexpr size_t kRanges = 10;
constexpr size_t kBar = 40;
constexpr size_t kExampleBar = 10;
constexpr Column kMinuteName{"", 9, Align::Left, false};
constexpr Column kMinute{"", History::kSeconds, Align::Left, true};
constexpr Column kTime{"TIME", 8, Align::Left, false};
constexpr Column kConnection{"CONN", 6, Align::Right, false};
constexpr Column kTook{"TOOK", 6, Align::Right, false};
constexpr Column kExampleTime{"TIME", kExampleBar, Align::Left, true};

void draw_counts(const TopState& state, uint32_t kind, Over over, Paper& paper) {
  const Sums& sums = state.sums(kind, over);
  paper.piece(state.kind(kind).id, output::kDim);
  paper.piece(fmt::format("{}, {} failed; {} in all, {} of all time",
                          output::counted(sums.count, "query", "queries"), sums.errors,
                          rounded_duration(sums.total_ns),
                          share_text(sums.total_ns, state.sums_of_all(over).total_ns)));
  paper.end();
  const auto mean = [](uint64_t sum, uint64_t known) {
    return known ? rate_text(static_cast<double>(sum) / static_cast<double>(known)) : "-";
  };
  paper.piece(fmt::format("On average: {} long, {} rows sent, {} examined",
                          rounded_duration(sums.mean_ns()),
                          mean(sums.rows_sent, sums.rows_sent_known),
                          mean(sums.rows_examined, sums.rows_examined_known)));
  paper.end();
}

void draw_minute(const TopState& state, uint32_t kind, Paper& paper) {
  std::vector<uint64_t> queries, times;
  for (const History::Part& part :
       state.history(kind).parts(state.history_end(), History::kSeconds)) {
    queries.push_back(part.queries);
    times.push_back(part.ns);
  }
  const auto line = [&](std::string_view name, const std::vector<uint64_t>& values,
                        const std::string& most) {
    paper.cell(kMinuteName, name, output::kDim).cell(kMinute, sparkline(values));
    paper.piece(most, output::kDim);
    paper.end();
  };
  line("queries/s", queries, fmt::format("{}/s", count_text(std::ranges::max(queries))));
  line("time/s", times, fmt::format("{}/s", rounded_duration(std::ranges::max(times))));
}

void draw_causes(const Sums& sums, Paper& paper) {
  const uint64_t all = sums.budgeted_ns();
  if (all == 0) return;
  std::vector<std::pair<uint64_t, std::string_view>> causes;
  for (const output::CauseName& name : output::kCauseNames)
    causes.emplace_back(sums.ns(name.cause), name.label);
  causes.emplace_back(sums.unexplained_ns, output::UnexplainedName::label);
  std::ranges::stable_sort(causes, std::greater(), [](const auto& cause) { return cause.first; });
  draw_bar(sums, kBar, paper);
  for (const auto& [ns, label] : causes)
    if (ns) paper.piece(fmt::format("{} {}", label, share_text(ns, all)));
  paper.end();
}

void draw_durations(const Sums& sums, Paper& paper) {
  paper.title("How long");
  std::string lines;
  output::append_percentiles(sums.durations, sums.total_ns, lines, sums.max_ns);
  output::append_histogram(sums.durations, lines, {.ranges = kRanges, .width = paper.width()});
  paper.copy(lines);
}

// What may be shown of a text.
void draw_text(const std::string& text, uint64_t length, Paper& paper) {
  std::string redacted;
  const output::ShownText shown = output::shown_text(text, length, redacted);
  paper.piece(shown.visible);
  if (shown.missing_bytes) paper.piece(fmt::format("[{} bytes more]", shown.missing_bytes));
}

void draw_examples(const std::vector<model::Example>& examples, Paper& paper) {
  if (examples.empty()) return;
  const bool budget = examples.front().budget.has_value();
  paper.title("Slowest of the run");
  for (const Column* column : {&kTime, &kConnection, &kTook})
    paper.cell(*column, column->title, output::kDim);
  if (budget) paper.cell(kExampleTime, kExampleTime.title, output::kDim);
  paper.piece("QUERY", output::kDim);
  paper.end();
  output::ClockText clock(output::Zone::Local, "%H:%M:%S");
  for (const model::Example& example : examples) {
    std::string took;
    output::append_duration(took, example.duration_ns);
    paper.cell(kTime, clock.at(example.start_ns / output::kNanosecondsPerSecond));
    paper.cell(kConnection,
               example.connection_id ? std::to_string(*example.connection_id) : std::string("-"));
    paper.cell(kTook, took);
    if (budget) draw_bar(example.budget.value_or(model::Budget{}), kExampleBar, paper);
    draw_text(example.text, example.text_length, paper);
    paper.end();
  }
}

void draw_blockers(const Details& details, Paper& paper) {
  if (details.blocked == 0) return;
  paper.title("Kept waiting by others, in the run");
  paper.say(fmt::format("{}, {} in all; for longest:", output::counted(details.blocked, "time"),
                        rounded_duration(details.blocked_ns)));
  for (const model::Blocker& blocker : details.blockers) {
    std::string waited;
    output::append_duration(waited, blocker.waited_ns);
    paper.cell(kTook, waited).piece(output::name_of(blocker.cause).label);
    paper.piece("by");
    paper.piece(output::who(blocker));
    if (blocker.query) draw_text(*blocker.query, blocker.query_length, paper);
    paper.end();
  }
}

}  // namespace

void draw_kind(const TopState& state, uint32_t kind, Over over, Paper& paper) {
  const Sums& sums = state.sums(kind, over);
  const Details& details = state.details(kind);
  draw_counts(state, kind, over, paper);
  paper.say_wrapped(state.kind(kind).text, kLinesOfText);
  draw_causes(sums, paper);
  draw_minute(state, kind, paper);
  if (sums.count) draw_durations(sums, paper);
  draw_examples(details.slowest, paper);
  if (!details.tables.is_empty()) {
    paper.title("Operations on files, in the run");
    draw_tables(details.tables, paper);
  }
  draw_blockers(details, paper);
}

}  // namespace dbtrace::commands::top
