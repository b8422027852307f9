// `dbtrace diff`: what differs between two saved histograms.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "src/commands/diff/saved_run.h"
#include "src/kinds/compare.h"
#include "symbols/result.h"

namespace CLI {
class App;
}

namespace dbtrace::commands {

enum class DiffFormat { Text, Json };

struct DiffOptions {
  std::string before;
  std::string after;
  double least_change_percent = 20;
  double alpha = 0.01;
  DiffFormat format = DiffFormat::Text;
  bool all = false;  // also kinds that did not change
};

struct Comparison {
  SavedRun before;
  SavedRun after;
  kinds::CompareOptions options;
  std::vector<kinds::Pair> pairs;
  std::vector<kinds::Difference> differences;
};

// Errors: runs that cannot be compared, as kinds mean something else in each.
[[nodiscard]] Result<Comparison> compare_runs(SavedRun before, SavedRun after,
                                              const DiffOptions& options);

// `width`: of a terminal, or 0.
void append_diff_text(const Comparison& comparison, const DiffOptions& options, size_t width,
                      bool color, std::string& out);
// One object; docs/histogram.md describes the members.
void append_diff_json(const Comparison& comparison, const DiffOptions& options, std::string& out);

CLI::App* add_diff_command(CLI::App& app, DiffOptions& options);

// Returns the exit code: 0 done, 1 failed, 2 wrong usage.
[[nodiscard]] int run_diff(const DiffOptions& options);

}  // namespace dbtrace::commands
