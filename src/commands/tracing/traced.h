// What tracing is the cost of: programs in the kernel, and the processes that they are for.
#pragma once

#include <cstdint>
#include <set>

#include "src/attach/feature.h"
#include "src/attach/run_cost.h"
#include "symbols/result.h"

namespace dbtrace::commands {

class Traced {
 public:
  Traced() = default;
  Traced(const Traced&) = delete;
  Traced& operator=(const Traced&) = delete;
  virtual ~Traced() = default;

  // Of all programs since the run began, those that are gone included.
  [[nodiscard]] virtual Result<attach::RunCost> run_cost() const = 0;
  // That have not ended. None: nobody knows which they are.
  [[nodiscard]] virtual const std::set<uint32_t>& processes() const = 0;
  // Gives up what a run can do without.
  virtual void shed(attach::Feature feature) = 0;
};

}  // namespace dbtrace::commands
