// `dbtrace queries`: the query log, live or of a recording.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/commands/queries/running.h"
#include "src/commands/tracing/query_choice.h"
#include "src/commands/tracing/session.h"
#include "src/output/sink.h"

namespace CLI {
class App;
}

namespace dbtrace::commands {

struct QueriesOptions {
  SessionOptions session;
  QueryChoice choice;
  RunningOptions running;
  output::Format format = output::Format::Text;
  std::string from;               // a recording, instead of a server; empty: none
  std::string output_file;        // empty: standard output
  std::optional<uint64_t> limit;  // queries to show (with running.show: looks to take), then end
};

// Adds the subcommand's options; they are written to `options` when parsed.
CLI::App* add_queries_command(CLI::App& app, QueriesOptions& options);

// Runs it. Returns the exit code: 0 done, 1 failed, 2 no target.
[[nodiscard]] int run_queries(const QueriesOptions& options);

}  // namespace dbtrace::commands
