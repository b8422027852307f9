// Comma-separated values (csv_row.h): a heading, and a row a kind and interval.
#include <algorithm>
#include <optional>
#include <utility>

#include "src/commands/histogram/report.h"
#include "src/output/clock_text.h"
#include "src/output/csv_row.h"

namespace dbtrace::commands {
namespace {

using model::Sums;

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
    output::append_budget_heading(out);
    out += "\r\n";
  }

  void row(const KindReport& report, const kinds::Ranked& ranked, std::string& out) {
    const kinds::Kind& kind = report.kinds[ranked.kind];
    const Sums& sums = *ranked.sums;
    const auto known = [](uint64_t sum, uint64_t queries) {
      return queries > 0 ? std::optional(sum) : std::nullopt;
    };
    const model::Budget budget = sums.budget();
    output::CsvRow csv(out);
    csv.word(report.span.total ? "total" : "interval")
        .word(clock_.at(report.span.end_ns / output::kNanosecondsPerSecond))
        .number(report.span.length_ns)
        .number(report.losses.lost)
        .text(kind.id)
        .text(kind.text)
        .number(sums.count)
        .number(sums.errors)
        .number(sums.total_ns)
        .number(sums.mean_ns())
        .number(sums.quantile_ns(0.5))
        .number(sums.quantile_ns(0.95))
        .number(sums.quantile_ns(0.99))
        .number(sums.max_ns)
        .number(known(sums.rows_sent, sums.rows_sent_known))
        .number(known(sums.rows_examined, sums.rows_examined_known))
        .number(sums.budgets)
        .budget(sums.budgets > 0 ? &budget : nullptr)
        .io(sums.io_known > 0 ? &sums.io : nullptr)
        .end();
  }

  size_t top_;
  bool begun_ = false;
  output::ClockText clock_{output::Zone::Utc, "%Y-%m-%dT%H:%M:%SZ"};
};

}  // namespace

std::unique_ptr<HistogramWriter> histogram_csv(size_t top) { return std::make_unique<Csv>(top); }

}  // namespace dbtrace::commands
