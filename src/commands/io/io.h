// `dbtrace io`: what a server does with files, how long it takes, and for whom.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/commands/io/report.h"
#include "src/commands/tracing/session.h"

namespace CLI {
class App;
}

namespace dbtrace::commands {

// All that are given must hold; of a list one is enough.
struct IoFilter {
  std::vector<model::FileOperation> operations;
  std::vector<std::string> tables;  // shell patterns
  std::vector<std::string> files;

  [[nodiscard]] bool accepts(const model::IoOperation& operation) const;
};

struct IoOptions {
  SessionOptions session;
  IoFilter filter;
  std::optional<uint64_t> slower_than_ns;  // list single operations instead of summing up
  IoBy by = IoBy::Table;
  uint64_t interval_ns = 5'000'000'000;
  IoFormat format = IoFormat::Text;
  std::string from;  // a recording, instead of servers
};

// Adds the subcommand's options; they are written to `options` when parsed.
CLI::App* add_io_command(CLI::App& app, IoOptions& options);

// Runs it. Returns the exit code: 0 done, 1 failed, 2 no target.
[[nodiscard]] int run_io(const IoOptions& options);

}  // namespace dbtrace::commands
