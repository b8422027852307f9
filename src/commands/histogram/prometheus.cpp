// Prometheus' text format 0.0.4.
#include "src/commands/histogram/metrics.h"
#include "src/commands/histogram/report.h"
#include "src/output/metrics_text.h"

namespace dbtrace::commands {
namespace {

class Prometheus final : public HistogramWriter {
 public:
  explicit Prometheus(size_t top) : top_(top) {}

  void add(const KindReport& report, std::string& out) override {
    output::MetricsText text(out);
    tell_kinds(report, top_, text);
  }

 private:
  size_t top_;
};

}  // namespace

std::unique_ptr<HistogramWriter> histogram_prometheus(size_t top) {
  return std::make_unique<Prometheus>(top);
}

}  // namespace dbtrace::commands
