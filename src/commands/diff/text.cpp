#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "src/commands/diff/diff.h"
#include "src/commands/diff/verdict_names.h"
#include "src/output/counted.h"
#include "src/output/histogram_text.h"
#include "src/output/short_number.h"
#include "src/output/text_line.h"

namespace dbtrace::commands {
namespace {

using kinds::Measured;
using kinds::Verdict;
using output::Align;
using output::Column;
using output::rounded_duration;
using output::TextLine;

constexpr Column kWhat{"WHAT", 11, Align::Left, false};
constexpr std::array<Column, 7> kColumns = {{
    {"COUNT", 7, Align::Right, false},
    {"THEN", 7, Align::Right, false},
    {"P50", 6, Align::Right, false},
    {"THEN", 6, Align::Right, false},
    {"P95", 6, Align::Right, false},
    {"THEN", 6, Align::Right, false},
    {"LOAD", 9, Align::Right, false},
}};

std::string count_of(const std::optional<Measured>& measured) {
  return measured ? output::short_number(measured->count) : "-";
}

std::string quantile_of(const std::optional<Measured>& measured, double fraction) {
  return measured ? rounded_duration(measured->durations.quantile(fraction, measured->max_ns))
                  : "-";
}

// How much more or less time a second this takes than before: "+12.3ms/s".
std::string load_of(double seconds_per_second) {
  return (seconds_per_second < 0 ? '-' : '+') +
         rounded_duration(static_cast<uint64_t>(std::abs(seconds_per_second) * 1e9)) + "/s";
}

std::string_view color_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Slower:
    case Verdict::SlowerTail:
      return output::kRed;
    case Verdict::Appeared:
    case Verdict::Vanished:
      return output::kYellow;
    default:
      return output::kNoColor;
  }
}

void run(std::string_view when, const std::string& file, const SavedRun& run, TextLine& line,
         std::string& out) {
  line.start();
  line.piece(
      fmt::format("{:<6} {}: {} in {}{}", when, file,
                  output::counted(run.count, "query", "queries"), rounded_duration(run.length_ns),
                  run.lost ? fmt::format("; {} more were lost, and are unknown", run.lost) : ""),
      output::kNoColor, out);
  out += '\n';
}

void counts(const Comparison& comparison, std::string& out) {
  std::array<size_t, kVerdictNames.size()> counts{};
  for (const kinds::Difference& difference : comparison.differences)
    ++counts[static_cast<size_t>(difference.verdict)];
  out += output::counted(comparison.pairs.size(), "kind") + ':';
  for (const VerdictName& name : kVerdictNames)
    if (const size_t count = counts[static_cast<size_t>(name.verdict)])
      out += fmt::format(" {} {},", count, name.text);
  out.pop_back();
  out += '\n';
  if (comparison.before.incomplete || comparison.after.incomplete)
    out += "some kinds were left out when these were saved: what is missing may have been there\n";
}

}  // namespace

void append_diff_text(const Comparison& comparison, const DiffOptions& options, size_t width,
                      bool color, std::string& out) {
  TextLine line(width, color);
  run("before", options.before, comparison.before, line, out);
  run("after", options.after, comparison.after, line, out);
  counts(comparison, out);
  bool any = false;
  for (const kinds::Difference& difference : comparison.differences) {
    if (!options.all && !is_finding(difference.verdict)) continue;
    if (!std::exchange(any, true)) {
      out += '\n';
      line.start();
      line.cell(kWhat, kWhat.title, output::kDim, out);
      for (const Column& column : kColumns) line.cell(column, column.title, output::kDim, out);
      line.piece("KIND", output::kDim, out);
      out += '\n';
    }
    const kinds::Pair& pair = comparison.pairs[difference.pair];
    const std::array<std::string, kColumns.size()> cells = {count_of(pair.before),
                                                            count_of(pair.after),
                                                            quantile_of(pair.before, 0.5),
                                                            quantile_of(pair.after, 0.5),
                                                            quantile_of(pair.before, 0.95),
                                                            quantile_of(pair.after, 0.95),
                                                            load_of(difference.seconds_per_second)};
    line.start();
    line.cell(kWhat, name_of(difference.verdict).text, color_of(difference.verdict), out);
    for (size_t i = 0; i < cells.size(); ++i)
      line.cell(kColumns[i], cells[i], output::kNoColor, out);
    line.piece(pair.text, output::kNoColor, out);
    out += '\n';
  }
}

}  // namespace dbtrace::commands
