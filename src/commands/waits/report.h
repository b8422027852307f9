// What `dbtrace waits` tells of an interval, as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "src/model/wait_sums.h"

namespace dbtrace::commands {

enum class WaitsFormat { Text, Json };

struct WaitsInterval : model::Spending {
  bool total = false;  // the whole run
};

class WaitsReport {
 public:
  virtual ~WaitsReport() = default;
  // The terminal's width, 0 for none; when it has changed, too.
  virtual void set_width(size_t columns) { (void)columns; }
  virtual void add(const WaitsInterval& interval, std::string& out) = 0;
};

// `histograms`: draw them for each interval, not only for the whole run. `color`: for
// terminals.
[[nodiscard]] std::unique_ptr<WaitsReport> waits_text(bool histograms, bool color);
// One object a line; docs/waits.md describes the members.
[[nodiscard]] std::unique_ptr<WaitsReport> waits_json();

}  // namespace dbtrace::commands
