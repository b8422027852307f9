// `dbtrace histogram`: what the queries of each kind come to, and how their times are
// distributed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "src/commands/histogram/report.h"
#include "src/commands/tracing/query_choice.h"
#include "src/commands/tracing/session.h"
#include "src/kinds/kinds.h"
#include "src/kinds/order.h"

namespace CLI {
class App;
}

namespace dbtrace::commands {

// Who adds queries up.
enum class CountIn { Auto, Kernel, User };

struct HistogramOptions {
  SessionOptions session;
  QueryChoice choice;
  kinds::KindOptions kinds;
  kinds::SortKey sort = kinds::SortKey::Total;
  std::optional<size_t> top;  // kinds to tell of; 0: all
  std::optional<size_t> draw;
  uint64_t interval_ns = 0;  // 0: one report, at the end
  HistogramFormat format = HistogramFormat::Text;
  std::string from;          // a recording, instead of a server; empty: none
  std::string output_file;   // empty: standard output
  std::string save_file;     // JSON of the whole run; empty: none
  bool keep_slices = false;  // also when nothing is saved (kinds::Slices)
  CountIn count_in = CountIn::Auto;

  [[nodiscard]] bool keeps_slices() const { return keep_slices || !save_file.empty(); }
};

// --budget, --file-io, --dsn; and --count-in.
void add_budget_options(CLI::App& command, HistogramOptions& options, const std::string& group);
void add_count_in_option(CLI::App& command, CountIn& count_in, const std::string& group);

CLI::App* add_histogram_command(CLI::App& app, HistogramOptions& options);

// Returns the exit code: 0 done, 1 failed, 2 wrong usage or no target.
[[nodiscard]] int run_histogram(const HistogramOptions& options);

}  // namespace dbtrace::commands
