// `dbtrace waits`: where all query time of the server goes, by cause.
#pragma once

#include <cstdint>
#include <string>

#include "src/commands/tracing/session.h"
#include "src/commands/waits/report.h"

namespace CLI {
class App;
}

namespace dbtrace::commands {

struct WaitsOptions {
  SessionOptions session;
  uint64_t interval_ns = 5'000'000'000;
  bool histograms = false;  // in each interval; the total has them anyway
  WaitsFormat format = WaitsFormat::Text;
  std::string from;  // a recording, instead of a server
};

CLI::App* add_waits_command(CLI::App& app, WaitsOptions& options);

// Returns the exit code: 0 done, 1 failed, 2 no target.
[[nodiscard]] int run_waits(const WaitsOptions& options);

}  // namespace dbtrace::commands
