// `dbtrace top`: kinds of query, live or of a recording, on the whole screen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "src/commands/top/action.h"
#include "src/commands/tracing/query_choice.h"
#include "src/commands/tracing/session.h"
#include "src/kinds/order.h"

namespace CLI {
class App;
}

namespace dbtrace::commands {

struct TopOptions {
  SessionOptions session;
  QueryChoice choice;
  uint64_t interval_ns = 2'000'000'000;
  bool no_budget = false;
  kinds::SortKey sort = kinds::SortKey::Total;
  top::Page page = top::Page::Kinds;
  kinds::KindOptions kinds{.max_kinds = 1000};
  bool batch = false;
  size_t rows = 20;               // of a batch
  std::optional<uint64_t> limit;  // intervals to show, then end
  std::string from;               // a recording; empty: servers
  std::string at;                 // its time to begin with; empty: its begin
};

CLI::App* add_top_command(CLI::App& app, TopOptions& options);

// Returns the exit code: 0 done, 1 failed, 2 wrong usage or no target.
[[nodiscard]] int run_top(const TopOptions& options);

}  // namespace dbtrace::commands
