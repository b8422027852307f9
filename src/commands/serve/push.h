// What `dbtrace serve` sends to a collector of OpenTelemetry's.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "src/commands/pace.h"
#include "src/model/query.h"
#include "src/otlp/attributes.h"
#include "src/otlp/sender.h"
#include "src/otlp/spans.h"
#include "src/output/metrics.h"
#include "symbols/result.h"

namespace dbtrace::commands {

struct PushOptions {
  std::string url;                   // as http::parse_url() takes it; empty: nothing is sent
  std::vector<std::string> headers;  // as http::parse_header() takes them
  uint64_t interval_ns = 10'000'000'000;
  uint64_t slower_than_ns = 1'000'000'000;  // queries that took at least this long are spans
};

// Figures count from its beginning. Never waits for the collector but at the end. Not thread-safe.
class Push {
 public:
  Push(const PushOptions& options, otlp::Collector collector);

  // One that has ended: a span if it was slow.
  void take(const model::Query& query);

  // Tells of all that there is.
  using Tell = std::function<Result<void>(output::Metrics&)>;
  // Several times a second: sends when it is time to.
  [[nodiscard]] Result<void> tick(const Tell& tell);
  // Sends a last time, and waits a moment until all that waits is sent.
  [[nodiscard]] Result<void> finish(const Tell& tell);

  // What became of what was sent.
  void tell(output::Metrics& out) const;
  [[nodiscard]] std::vector<std::string> take_news() { return sender_.take_news(); }

 private:
  [[nodiscard]] Result<void> send(const Tell& tell);
  void send_spans();

  const uint64_t start_ns_, slower_than_ns_;
  const otlp::Attributes resource_;
  Pace pace_;
  otlp::Spans spans_;
  otlp::Sender sender_;
};

// Errors are the user's.
[[nodiscard]] Result<otlp::Collector> collector_of(const PushOptions& options);

}  // namespace dbtrace::commands
