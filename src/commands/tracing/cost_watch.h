// Looks at what tracing costs while it goes on, says so, and gives up what --max-overhead makes it
// give up.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/attach/feature.h"
#include "src/attach/mechanism.h"
#include "src/commands/tracing/self_cost.h"
#include "src/commands/tracing/shedding.h"
#include "src/commands/tracing/traced.h"
#include "symbols/result.h"

namespace dbtrace::commands {

// Not thread-safe.
class CostWatch {
 public:
  using Say = std::function<void(std::string_view)>;

  // `limit` and `ladder` as Shedding has them. With a limit, or if so told, the cost is measured
  // all the time (SelfCost).
  CostWatch(std::optional<double> limit, std::vector<attach::Feature> ladder, bool all_the_time,
            Say say);

  // Before there are probes. Errors: a limit is set, and nobody can tell what is used.
  [[nodiscard]] Result<void> prepare(attach::Mechanism mechanism);
  // When the probes are there.
  [[nodiscard]] Result<void> begin(const Traced& traced) { return cost_.begin(traced); }
  // Several times a second. True: the run is to end, as it costs too much.
  [[nodiscard]] Result<bool> tick(Traced& traced);
  // Before the probes go.
  [[nodiscard]] Result<void> end(const Traced& traced) { return cost_.end(traced); }

  [[nodiscard]] const SelfCost& cost() const { return cost_; }
  // Whether tick() has ended the run.
  [[nodiscard]] bool gave_up() const { return gave_up_; }
  // Lines for the end of a run: what it has cost, and what is missing because of that.
  [[nodiscard]] std::string account() const;

 private:
  struct Missing {
    std::string since;  // by the clock on the wall
    attach::Feature feature;
  };
  [[nodiscard]] bool act(const Shedding::Step& step, const Cost& cost, Traced& traced);

  std::optional<double> limit_;
  SelfCost cost_;
  Shedding shedding_;
  Say say_;
  std::vector<Missing> missing_;
  bool gave_up_ = false;
};

}  // namespace dbtrace::commands
