// The command line of `dbtrace report`.
#include <CLI/CLI.hpp>

#include "src/commands/report/report.h"

namespace dbtrace::commands {
namespace {

constexpr const char* kExamples = R"(Examples:
  dbtrace report today.dbt                            a summary that fits a mail
  dbtrace report today.dbt | mail -s today dba
  dbtrace report today.dbt --html -o today.html       a page to look around in

Exit status: 0 done, 1 failed, 2 wrong usage.)";

}  // namespace

CLI::App* add_report_command(CLI::App& app, ReportOptions& options) {
  CLI::App* command =
      app.add_subcommand("report", "Sum a recording up, as text for a mail or as a page");
  command->footer(kExamples);
  command->add_option("FILE", options.file, "A recording (dbtrace record)")->required();
  command->add_flag("--html", options.html,
                    "One page that needs nothing else: plots over time, every kind, its slowest\n"
                    "queries and their stacks");
  command
      ->add_option("-o,--output", options.output_file,
                   "Write to this file, replacing it; readable by its owner only")
      ->type_name("FILE")
      ->check([](const std::string& file) { return file.empty() ? "needs a file name" : ""; });
  return command;
}

}  // namespace dbtrace::commands
