// Comma-separated values after RFC 4180: a heading, and a row a kind and interval. All
// text is quoted, and shown as for a person: a value can end neither its field nor its
// row, nor drive a terminal, nor be a formula: an apostrophe stands before what looks like one.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/commands/histogram/report.h"
#include "src/output/cause_names.h"
#include "src/output/clock_text.h"
#include "src/output/escape.h"

namespace dbtrace::commands {
namespace {

using model::Sums;

// Spreadsheets take a text that begins so for a formula.
constexpr std::string_view kFormulas = "=+-@";

class Csv final : public HistogramWriter {
 public:
  explicit Csv(size_t top) : top_(top) {}

  void add(const KindReport& report, std::string& out) override {
    if (!std::exchange(begun_, true)) heading(out);
    const size_t shown = top_ ? std::min(top_, report.ranked.size()) : report.ranked.size();
    for (size_t i = 0; i < shown; ++i) row(report, report.ranked[i], out);
  }

 private:
  static void heading(std::string& out) {
    out +=
        "span,end,length_ns,lost,id,text,count,errors,total_ns,mean_ns,p50_ns,p95_ns,p99_ns,"
        "max_ns,rows_sent,rows_examined,budgets";
    for (const output::CauseName& name : output::kCauseNames)
      out += fmt::format(",{}", name.json_key);
    out +=
        fmt::format(",{},reads,read_bytes,read_ns,writes,write_bytes,write_ns,fsyncs,fsync_ns\r\n",
                    output::UnexplainedName::json_key);
  }

  void row(const KindReport& report, const kinds::Ranked& ranked, std::string& out) {
    const kinds::Kind& kind = report.kinds[ranked.kind];
    const Sums& sums = *ranked.sums;
    out += report.span.total ? "total," : "interval,";
    out += clock_.at(report.span.end_ns / output::kNanosecondsPerSecond);
    out += fmt::format(",{},{},", report.span.length_ns, report.losses.lost);
    text(kind.id, out);
    out += ',';
    text(kind.text, out);
    out += fmt::format(",{},{},{},{},{},{},{},{}", sums.count, sums.errors, sums.total_ns,
                       sums.mean_ns(), sums.quantile_ns(0.5), sums.quantile_ns(0.95),
                       sums.quantile_ns(0.99), sums.max_ns);
    number(sums.rows_sent, sums.rows_sent_known > 0, out);
    number(sums.rows_examined, sums.rows_examined_known > 0, out);
    const bool any = sums.budgets > 0;
    number(sums.budgets, true, out);
    for (const uint64_t ns : sums.by_cause_ns) number(ns, any, out);
    number(sums.unexplained_ns, any, out);
    for (const auto operation :
         {model::FileOperation::Read, model::FileOperation::Write, model::FileOperation::Fsync}) {
      const model::IoCount& io = sums.io[static_cast<size_t>(operation)];
      const bool known = sums.io_known > 0;
      number(io.count, known, out);
      if (operation != model::FileOperation::Fsync) number(io.bytes, known, out);
      number(io.ns, known, out);
    }
    out += "\r\n";
  }

  static void number(uint64_t value, bool known, std::string& out) {
    out += ',';
    if (known) out += fmt::format("{}", value);
  }

  void text(std::string_view value, std::string& out) {
    shown_.clear();
    output::append_visible(shown_, value);
    out += '"';
    if (!shown_.empty() && kFormulas.find(shown_.front()) != std::string_view::npos) out += '\'';
    for (const char c : shown_) out.append(c == '"' ? 2 : 1, c);
    out += '"';
  }

  size_t top_;
  bool begun_ = false;
  output::ClockText clock_{output::Zone::Utc, "%Y-%m-%dT%H:%M:%SZ"};
  std::string shown_;
};

}  // namespace

std::unique_ptr<HistogramWriter> histogram_csv(size_t top) { return std::make_unique<Csv>(top); }

}  // namespace dbtrace::commands
