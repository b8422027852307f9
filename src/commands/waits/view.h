// What was spent, interval by interval, wherever it comes from, written as it was asked for.
#pragma once

#include <memory>

#include "src/commands/waits/report.h"
#include "src/commands/waits/waits.h"
#include "src/output/writer.h"

namespace dbtrace::commands {

// Not thread-safe. `writer` must outlive it.
class WaitsView {
 public:
  WaitsView(const WaitsOptions& options, output::Writer& writer);

  void resized() { report_->set_width(writer_.width()); }
  // `total`: the whole run.
  void show(model::Spending spent, bool total);
  // Nothing more can be shown.
  [[nodiscard]] bool has_ended() const { return status_ != output::WriteStatus::Ok; }
  [[nodiscard]] output::WriteStatus status() const { return status_; }

 private:
  output::Writer& writer_;
  std::unique_ptr<WaitsReport> report_;
  output::WriteStatus status_ = output::WriteStatus::Ok;
};

}  // namespace dbtrace::commands
