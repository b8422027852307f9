// What `dbtrace histogram` tells of an interval or of the whole run, as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/commands/span.h"
#include "src/kinds/kinds.h"
#include "src/kinds/order.h"
#include "src/kinds/slices.h"
#include "src/model/sums.h"

namespace dbtrace::commands {

enum class HistogramFormat { Text, Json, Csv, Prometheus };

// What the numbers do not know of.
struct HistogramLosses {
  uint64_t lost = 0;          // commands of which nothing is known
  uint64_t without_text = 0;  // counted, but their text could not be read
  uint64_t without_budget = 0;

  void subtract(const HistogramLosses& earlier) {
    lost -= earlier.lost;
    without_text -= earlier.without_text;
    without_budget -= earlier.without_budget;
  }
};

// Refers to a KindTable, which must not change meanwhile.
struct KindReport {
  Span span;
  const kinds::Kinds& kinds;
  std::vector<kinds::Ranked> ranked;  // in order; those with at least one query
  const model::Sums& all;             // each query once
  HistogramLosses losses;
};

class HistogramWriter {
 public:
  virtual ~HistogramWriter() = default;
  virtual void add(const KindReport& report, std::string& out) = 0;
};

struct HistogramTextOptions {
  size_t top = 20;            // kinds in the table; 0: all
  size_t draw_total = 3;      // kinds whose histograms are drawn at the end…
  size_t draw_intervals = 0;  // …and for each interval
  size_t width = 0;           // of a terminal, or 0
  bool color = false;
};

// `top`: as many kinds at most, the first of the order; 0: all.
[[nodiscard]] std::unique_ptr<HistogramWriter> histogram_text(const HistogramTextOptions& options);
// One object a line. docs/histogram.md describes the members of these three.
// `slices`: to be told of each kind, too; must outlive the writer.
[[nodiscard]] std::unique_ptr<HistogramWriter> histogram_json(
    size_t top, const kinds::Slices* slices = nullptr);
[[nodiscard]] std::unique_ptr<HistogramWriter> histogram_csv(size_t top);
// The text format (0.0.4) of all that was counted since the beginning: for totals.
[[nodiscard]] std::unique_ptr<HistogramWriter> histogram_prometheus(size_t top);

// "fingerprint", "db", …: as --by takes it.
[[nodiscard]] std::string_view name_of(kinds::By by);
// "mysql", "pt", "pmm"
[[nodiscard]] std::string_view name_of(sql::FingerprintMode mode);

}  // namespace dbtrace::commands
