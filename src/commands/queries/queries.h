// `dbtrace queries`: the live query log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/attach/tracer.h"
#include "src/commands/queries/running.h"
#include "src/commands/target_choice.h"
#include "src/model/filter.h"
#include "src/output/sink.h"

namespace CLI {
class App;
}

namespace dbtrace::commands {

struct QueriesOptions {
  TargetOptions target;
  attach::PlanOptions plan;
  attach::TracerOptions tracer;
  model::FilterOptions filter;
  RunningOptions running;
  output::Format format = output::Format::Text;
  std::string output_file;  // empty: standard output
  bool all_commands = false;
  std::optional<uint64_t> limit;  // queries to show (with running.show: looks to take), then end
  std::optional<uint64_t> duration_ns;
  bool follow = false;                // on to the servers that take the place of those that end
  std::vector<std::string> profiles;  // files that add to what is known of servers
  bool explain = false;
};

// Adds the subcommand's options; they are written to `options` when parsed.
CLI::App* add_queries_command(CLI::App& app, QueriesOptions& options);

// Runs it. Returns the exit code: 0 done, 1 failed, 2 no target.
[[nodiscard]] int run_queries(const QueriesOptions& options);

}  // namespace dbtrace::commands
