// `dbtrace report`: what a recording comes to, to be sent around.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace dbtrace::commands {

struct ReportOptions {
  std::string file;
  bool html = false;
  std::string output_file;  // empty: standard output
};

CLI::App* add_report_command(CLI::App& app, ReportOptions& options);

// Returns the exit code: 0 done, 1 failed, 2 wrong usage.
[[nodiscard]] int run_report(const ReportOptions& options);

}  // namespace dbtrace::commands
