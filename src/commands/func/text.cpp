// Tables, histograms and lines for a person.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "src/commands/func/report.h"
#include "src/output/clock_text.h"
#include "src/output/counted.h"
#include "src/output/digits.h"
#include "src/output/escape.h"
#include "src/output/histogram_text.h"

namespace dbtrace::commands {
namespace {

using output::kNanosecondsPerSecond;

// What changes every second should fit a screen; the total is shown whole.
constexpr size_t kIntervalRows = 20;

std::string with_others(const attach::PlannedFunction& function) {
  if (function.also.empty()) return function.name;
  return fmt::format("{} (also {})", function.name, fmt::join(function.also, ", "));
}

class Text final : public FuncReport {
 public:
  void set_width(size_t columns) override { width_ = columns; }

  void counts(const Span& span, std::span<const CallCount> rows, std::string& out) override {
    heading(span, out);
    if (rows.empty()) {
      out += "       none\n";
      return;
    }
    const size_t shown = span.total ? rows.size() : std::min(rows.size(), kIntervalRows);
    for (const CallCount& row : rows.first(shown)) {
      std::string line = fmt::format("{:>11}", row.calls);
      if (row.thread) line += fmt::format("  {:>8}  {:<15}", row.thread->tid, row.thread->name);
      add_line(line + "  " + with_others(*row.function), out);
    }
    if (shown < rows.size()) out += fmt::format("          …  and {} more\n", rows.size() - shown);
  }

  void durations(const Span& span, std::span<const Durations> rows, std::string& out) override {
    heading(span, out);
    if (rows.empty()) out += "       none\n";
    for (const Durations& row : rows) {
      add_line(with_others(*row.function), out);
      const attach::FunctionNumbers& numbers = row.numbers;
      std::string line =
          fmt::format("  {}, {} timed", output::counted(numbers.calls, "call"), numbers.finished);
      // Of an interval's calls, some end in the next one.
      if (span.total && numbers.calls > numbers.finished)
        line += fmt::format("; {} left by an exception or still running",
                            numbers.calls - numbers.finished);
      add_line(line, out);
      if (numbers.finished > 0) {
        output::append_percentiles(row.histogram, numbers.total_ns, out);
        output::append_histogram(row.histogram, out);
      }
      out += '\n';
    }
  }

  void call(const Call& call, uint64_t time_ns, const attach::PlannedFunction& function,
            std::span<const Argument> arguments, std::string& out) override {
    std::string line(clock_.at(time_ns / kNanosecondsPerSecond));
    line += '.';
    output::append_zero_padded(line, time_ns % kNanosecondsPerSecond / 1000, 6);
    line += fmt::format(" {:>7}  {} ", call.tid, short_name(function.name));
    for (size_t i = 0; i < arguments.size(); ++i) {
      line += fmt::format(" {}=", arguments[i].label);
      append_value(line, arguments[i], call.values[i]);
    }
    add_line(line, out);
  }

 private:
  void heading(const Span& span, std::string& out) {
    if (!std::exchange(first_, false)) out += '\n';
    out += span.total ? "total" : clock_.at(span.end_ns / kNanosecondsPerSecond);
    out += fmt::format(" ({})\n", output::rounded_duration(span.length_ns));
  }

  void add_line(const std::string& line, std::string& out) const {
    // The layout's own spaces are not the text's.
    const size_t indent = line.find_first_not_of(' ');
    if (indent == std::string::npos) return;
    out.append(indent, ' ');
    append_columns(out, std::string_view(line).substr(indent), indent);
    out += '\n';
  }

  // As append_visible, but columns that are aligned by spaces stay aligned.
  void append_columns(std::string& out, std::string_view text, size_t used) const {
    while (!text.empty()) {
      const size_t gap = std::min(text.find("  "), text.size());
      const size_t room = width_ == 0 ? output::kUnlimited : width_ > used ? width_ - used : 0;
      if (room == 0) return;
      used += output::append_visible(out, text.substr(0, gap), room);
      text.remove_prefix(gap);
      const size_t spaces = std::min(text.find_first_not_of(' '), text.size());
      if (spaces < text.size()) out.append(spaces, ' ');
      used += spaces;
      text.remove_prefix(spaces);
    }
  }

  // Without parameters: who asks for arguments looks at few functions.
  static std::string short_name(std::string_view name) {
    const size_t parameters = name.starts_with('(') ? std::string_view::npos : name.find('(');
    return std::string(name.substr(0, parameters));
  }

  size_t width_ = 0;
  bool first_ = true;
  output::ClockText clock_{output::Zone::Local, "%H:%M:%S"};
};

}  // namespace

std::unique_ptr<FuncReport> func_text() { return std::make_unique<Text>(); }

std::unique_ptr<FuncReport> make_func_report(FuncFormat format) {
  return format == FuncFormat::Json ? func_json() : func_text();
}

}  // namespace dbtrace::commands
