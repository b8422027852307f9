// `dbtrace serve`: the agent of a machine: what `dbtrace histogram` counts, for a Prometheus that
// asks for it, and for a collector that it is sent to.
#pragma once

#include <string>

#include "src/commands/histogram/histogram.h"
#include "src/commands/serve/push.h"

namespace CLI {
class App;
}

namespace dbtrace::commands {

struct ServeOptions {
  HistogramOptions counting;
  std::string listen = "127.0.0.1:9104";  // as http::parse_address() takes it
  PushOptions push;
};

CLI::App* add_serve_command(CLI::App& app, ServeOptions& options);

// Returns the exit code: 0 done, 1 failed, 2 wrong usage, 3 --max-overhead ended it.
[[nodiscard]] int run_serve(const ServeOptions& options);

}  // namespace dbtrace::commands
