// Histograms and a table for a person.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string_view>
#include <utility>

#include "src/commands/io/list_text.h"
#include "src/commands/io/report.h"
#include "src/output/byte_size.h"
#include "src/output/clock_text.h"
#include "src/output/counted.h"
#include "src/output/digits.h"
#include "src/output/duration.h"
#include "src/output/histogram_text.h"
#include "src/output/short_number.h"
#include "src/output/text_line.h"

namespace dbtrace::commands {
namespace {

using output::Align;
using output::Column;
using output::kDim;
using output::kNoColor;
using output::TextLine;

// What comes again and again should fit a screen.
constexpr size_t kIntervalRows = 10;
constexpr size_t kTotalRows = 100;

constexpr size_t kWideEnough = 100;

constexpr Column kOperation{"OP", 11, Align::Left, false};
constexpr Column kCount{"COUNT", 9, Align::Right, false};
constexpr Column kBlocked{"BLOCKED", 9, Align::Right, false};
constexpr Column kBytes{"BYTES", 6, Align::Right, false};
constexpr Column kTime{"TIME", 6, Align::Right, false};
constexpr Column kShare{"SHARE", 6, Align::Right, false};
constexpr Column kMedian{"P50", 6, Align::Right, false};
constexpr Column kHigh{"P99", 6, Align::Right, false};
constexpr Column kMost{"MAX", 6, Align::Right, false};

std::string subject_text(const IoSubject& subject, IoBy by) {
  switch (subject.kind) {
    case IoSubject::Kind::Named:
      if (by == IoBy::Thread) return subject.name + " (in queries)";
      break;
    case IoSubject::Kind::Background:
      return by == IoBy::Thread ? subject.name : "background: " + subject.name;
    case IoSubject::Kind::Unknown:
      return by == IoBy::Query ? "(query unknown)" : "(file unknown)";
    case IoSubject::Kind::Others:
      return "(others)";
  }
  if (subject.table.empty() || subject.table == subject.name) return subject.name;
  return fmt::format("{} ({})", subject.name, subject.table);
}

std::string upper(std::string_view word) {
  std::string text(word);
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string duration(uint64_t nanoseconds) {
  std::string text;
  output::append_duration(text, nanoseconds);
  return text;
}

std::string byte_size(uint64_t bytes) {
  std::string text;
  output::append_byte_size(text, bytes);
  return text;
}

std::string bytes(uint64_t count) { return byte_size(count) + (count == 1 ? " byte" : " bytes"); }

// What that means for what is shown.
std::string effect_of(uint64_t lost, uint64_t counted) {
  if (lost == 0) return "";
  return fmt::format(" ({} %: in no sum and no percentile)",
                     output::short_percentage(100 * static_cast<double>(lost) /
                                              static_cast<double>(lost + counted)));
}

class Text final : public IoReport {
 public:
  Text(bool color, bool several) : color_(color), list_(color, several) {}

  void set_width(size_t columns) override {
    width_ = columns;
    list_.set_width(columns);
  }

  void table(const Span& span, const IoTable& table, IoBy by, uint64_t lost,
             std::string& out) override {
    heading(span, table, lost, out);
    for (size_t i = 0; i < table.totals().size(); ++i)
      histogram(static_cast<IoKind>(i), table.totals()[i], out);
    const std::vector<const IoTable::Row*> rows = table.rows();
    if (rows.empty()) return;
    TextLine line(width_, color_);
    titles(by, line, out);
    const size_t shown = std::min(rows.size(), span.total ? kTotalRows : kIntervalRows);
    std::set<std::string_view> examples;
    for (size_t i = 0; i < shown; ++i) {
      cells(*rows[i], table.share(*rows[i]), line, out);
      line.piece(subject_text(rows[i]->subject, by), kNoColor, out);
      out += '\n';
      // Of a kind of query that reads and writes once is enough.
      if (span.total && !rows[i]->example.empty() && examples.insert(rows[i]->example).second) {
        line.start();
        line.pad(kOperation.width, out);
        line.piece("e.g. " + rows[i]->example, kDim, out);
        out += '\n';
      }
    }
    if (shown < rows.size()) out += fmt::format("…     and {} more\n", rows.size() - shown);
  }

  void begin_list(std::string& out) override { list_.begin(out); }
  void operation(const model::IoOperation& operation, const model::Query* query,
                 std::string& out) override {
    list_.operation(operation, query, out);
  }

 private:
  void heading(const Span& span, const IoTable& table, uint64_t lost, std::string& out) {
    if (!std::exchange(first_, false)) out += '\n';
    out += span.total ? "total" : clock_.at(span.end_ns / output::kNanosecondsPerSecond);
    out += fmt::format(" ({}): {}, {}, {} lost{}\n", output::rounded_duration(span.length_ns),
                       output::counted(table.operations(), "operation"), bytes(table.bytes()), lost,
                       effect_of(lost, table.operations()));
  }

  void histogram(IoKind kind, const Latencies& latencies, std::string& out) const {
    const model::IoCount& sum = latencies.sum;
    if (sum.count == 0) return;
    out += fmt::format("\n{}: {} in {}", name_of(kind), sum.count, duration(sum.ns));
    if (operation_of(kind) != model::FileOperation::Fsync) out += ", " + bytes(sum.bytes);
    if (is_asynchronous(kind)) {
      out += "; nobody waited\n";
    } else {
      out += fmt::format("; {} blocked ({}), {} did not ({})\n", sum.blocked, output::kMarked,
                         sum.count - sum.blocked, output::kUnmarked);
    }
    output::append_percentiles(latencies.all, sum.ns, out, sum.max_ns);
    if (is_asynchronous(kind))
      output::append_histogram(latencies.all, out, {.width = width_});
    else
      output::append_histogram(latencies.all, latencies.blocked, out, {.width = width_});
  }

  // Columns that a narrow terminal has no room for beside a name.
  [[nodiscard]] bool is_wide() const { return width_ == 0 || width_ >= kWideEnough; }

  void titles(IoBy by, TextLine& line, std::string& out) const {
    out += '\n';
    line.start();
    for (const Column* column :
         {&kOperation, &kCount, &kBlocked, &kBytes, &kTime, &kShare, &kMedian, &kHigh, &kMost})
      if (is_wide() || (column != &kBlocked && column != &kMedian))
        line.cell(*column, column->title, kDim, out);
    if (by != IoBy::Operation) line.piece(upper(name_of(by)), kDim, out);
    out += '\n';
  }

  void cells(const IoTable::Row& row, double share, TextLine& line, std::string& out) const {
    const model::IoCount& sum = row.latencies.sum;
    const auto cell = [&](const Column& column, const std::string& value) {
      line.cell(column, value, kNoColor, out);
    };
    line.start();
    cell(kOperation, std::string(name_of(row.kind)));
    cell(kCount, fmt::format("{}", sum.count));
    if (is_wide()) cell(kBlocked, fmt::format("{}", sum.blocked));
    cell(kBytes, byte_size(sum.bytes));
    cell(kTime, duration(sum.ns));
    cell(kShare, fmt::format("{:.1f}%", 100 * share));
    if (is_wide()) cell(kMedian, duration(row.latencies.all.quantile(0.5, sum.max_ns)));
    cell(kHigh, duration(row.latencies.all.quantile(0.99, sum.max_ns)));
    cell(kMost, duration(sum.max_ns));
  }

  bool color_;
  size_t width_ = 0;
  bool first_ = true;
  output::ClockText clock_{output::Zone::Local, "%H:%M:%S"};
  IoListText list_;
};

}  // namespace

std::unique_ptr<IoReport> io_text(bool color, bool several) {
  return std::make_unique<Text>(color, several);
}

}  // namespace dbtrace::commands
