// What a flight recorder watches while it holds the last minutes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/commands/pace.h"
#include "src/commands/record/conditions.h"
#include "src/commands/tracing/attachments.h"
#include "src/model/filter.h"
#include "src/recording/writer.h"
#include "symbols/result.h"

namespace dbtrace::commands {

struct FlightOptions {
  uint64_t keep_last_ns = 0;  // 0: no flight recorder
  std::vector<Condition> on;
  uint64_t keep_after_ns = 10'000'000'000;
  size_t most_an_hour = 6;
  uint64_t max_memory = 256 << 20;

  [[nodiscard]] bool wanted() const { return keep_last_ns > 0; }
};

// Not thread-safe. `filter` has to outlive it.
class FlightWatch {
 public:
  FlightWatch(const FlightOptions& options, const model::Filter& filter)
      : conditions_(options.on, options.most_an_hour), filter_(filter) {}

  void add(const model::Query& ended) { recently_.add(ended); }
  // Several times a second: what happened. `say`: lines for the user.
  [[nodiscard]] Result<std::vector<recording::Incident>> tick(Attachments& attachments,
                                                              std::string& say);

 private:
  [[nodiscard]] Result<void> look_at_running(Attachments& attachments);

  Recently recently_;
  Conditions conditions_;
  const model::Filter& filter_;
  Pace pace_ = Pace::after_each(std::chrono::seconds(1));
};

}  // namespace dbtrace::commands
